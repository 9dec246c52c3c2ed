#include "runtime/lift/lift.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/skeleton.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/symbolic/registers.h"
#include "runtime/lift/values.h"

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

/// Whether copies and products of tiles are in it as the kernel makes them: that says more than the
/// values do, even with holes.
bool has_tiles(const Program& program) {
  constexpr std::array<std::string_view, 3> kOperations = {"copy_async(", "gemm(", "gemm_async("};
  return std::ranges::any_of(
      kOperations, [&](std::string_view one) { return program.ir.find(one) != std::string::npos; });
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
  const ValueLift values(tree, input, symbols, name);
  Refusal refusal;
  WS_TRY(std::optional<Program> made, values.plain(refusal));
  if (made) {
    return *std::move(made);
  }
  WS_TRY(Program orchestrated, refused(tree, input, symbols, name, refusal.range, refusal.why));
  const bool says_more = has_tiles(orchestrated) && !has_value_products(tree);
  if (orchestrated.whole() || !has_warp_values(tree) || says_more) {
    return orchestrated;
  }
  WS_TRY(made, values.of_warps(refusal));
  if (made) {
    return *std::move(made);
  }
  Refusal other;
  WS_TRY(made, values.of_rounds(other));
  return made ? Result<Program>(*std::move(made))
              : refused(tree, input, symbols, name, refusal.range, refusal.why);
}

}  // namespace ws::lift
