#include "runtime/lift/lift.h"

#include <algorithm>
#include <cctype>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/skeleton.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/layouts.h"
#include "runtime/lift/symbolic/registers.h"
#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

/// Threads of a block, by the hardware's own limit.
constexpr std::size_t kMaxThreads = 1024;

/// Nobody waits for the result any more.
bool is_cancelled(const Status& done) {
  return !done && done.error().code == ErrorCode::kCancelled;
}

/// The answer for a kernel whose values were not understood. The skeleton of a kernel without
/// orchestration would say nothing, so it gets none.
Result<Program> refused(const Tree& tree, const LaunchInput& input, Symbols& symbols,
                        const std::string& name, const Range& range, const std::string& why) {
  Program program;
  program.not_lifted.push_back({range, why});
  Skeleton skeleton(tree, input, symbols);
  if (!skeleton.is_worthwhile()) {
    return program;
  }
  // One that does not parse is left out: the reason stands already.
  const Status written = skeleton.write(name, program);
  const bool is_complete = program.holes.empty() && program.not_lifted.size() == 1;
  // A reason elsewhere says nothing of holes that have reasons of their own.
  const bool is_elsewhere = std::ranges::none_of(program.holes, [&](const Hole& hole) {
    return hole.why == Skeleton::kNoTiles ||
           (hole.range.line <= range.line && range.line <= hole.range.end_line);
  });
  const bool is_said = !program.holes.empty() && is_elsewhere;
  if (written && (is_complete || is_said || why == Block::kInlineAssembly)) {
    program.not_lifted.erase(program.not_lifted.begin());
  }
  const Status left = input.time_budget.left();
  if (is_cancelled(left)) {
    return fail(left.error());
  }
  if (!left) {  // With more of it, more might be lifted.
    program.not_lifted.insert(program.not_lifted.begin(), {{}, left.error().message});
  }
  return program;
}

}  // namespace

std::string class_name(const std::string& kernel) {
  std::string name;
  bool upper = true;
  for (const char c : kernel) {
    if (!is_word(c) || c == '_') {
      upper = true;
      continue;
    }
    const bool starts = name.empty() && is_digit(c);
    name += starts ? "K" : "";
    name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return name.empty() ? "Kernel" : name;
}

Result<Program> lift_values(const Tree& read, const LaunchInput& input, Symbols& symbols,
                            const std::string& name) {
  const Tree tree = without_special_registers(read, input.block, input.cluster);
  if (input.threads() == 0 || input.threads() > kMaxThreads) {
    return refused(tree, input, symbols, name, {},
                   "a block of " + std::to_string(input.threads()) + " threads");
  }
  Terms terms(input.threads());
  Layouts layouts(terms, input);
  Block first(tree, input, terms, symbols, layouts, nullptr);
  layouts.watch(first.objects());
  if (const Status done = first.run(); !done) {
    if (is_cancelled(done)) {
      return fail(done.error());
    }
    return refused(tree, input, symbols, name, first.where(), done.error().message);
  }
  const std::set<ObjectId> needed = layouts.needed();
  Terms own_terms(input.threads());
  Writer writer(own_terms, symbols, input, layouts.layouts(), tree.regions);
  Block second(tree, input, own_terms, symbols, writer, &needed);
  writer.watch(second.objects());
  if (const Status done = second.run(); !done) {
    if (is_cancelled(done)) {
      return fail(done.error());
    }
    return refused(tree, input, symbols, name, second.where(), done.error().message);
  }
  Program program;
  Result<std::string> text = writer.program(name);
  if (!text && text.error().code == ErrorCode::kUnsupported) {
    return refused(tree, input, symbols, name, {}, text.error().message);
  }
  WS_TRY(program.ir, std::move(text));
  program.indices = writer.indices();
  return program;
}

}  // namespace ws::lift
