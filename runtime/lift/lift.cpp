#include "runtime/lift/lift.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/skeleton.h"
#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/layouts.h"
#include "runtime/lift/symbolic/matrices.h"
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

/// Whether copies and products of tiles are in it as the kernel makes them: that says more than the
/// values do, even with holes.
bool has_tiles(const Program& program) {
  constexpr std::array<std::string_view, 3> kOperations = {"copy_async(", "gemm(", "gemm_async("};
  return std::ranges::any_of(
      kOperations, [&](std::string_view one) { return program.ir.find(one) != std::string::npos; });
}

/// Why a kernel was not lifted as values, and at which statement.
struct Refusal {
  Range range;
  std::string why;
};

/// Programs of the other choices that PipelineCase names have to be the same as this one.
struct Values {
  Program program;
  bool asks_for_last = false;
};

/// How much of a kernel is taken for values.
struct Manner {
  bool warps = false;     ///< Instructions of whole warps have values, too.
  PipelineCase pipeline;  ///< Loops may work on what earlier rounds have loaded.
};

/// The program of what all threads compute. @param refusal  Set where it is not understood.
Result<std::optional<Values>> values_of(const Tree& tree, const LaunchInput& input,
                                        Symbols& symbols, const std::string& name,
                                        const Manner& manner, Refusal& refusal) {
  const auto refuse = [&](const Range& range, const std::string& why) {
    refusal = {range, why};
    return std::optional<Values>();
  };
  Terms terms(input.threads());
  Layouts layouts(terms, input);
  Block first(tree, input, terms, symbols, layouts, nullptr);
  layouts.watch(first.objects());
  if (manner.warps) {
    first.know_warps(works_by_warps(tree));
    layouts.know_rows();
  }
  first.pipeline(manner.pipeline);
  if (const Status done = first.run(); !done) {
    return is_cancelled(done) ? Result<std::optional<Values>>(fail(done.error()))
                              : refuse(first.where(), done.error().message);
  }
  layouts.spread();
  const std::set<ObjectId> needed = layouts.needed();
  Terms own_terms(input.threads());
  Writer writer(own_terms, symbols, input, layouts.layouts(), tree.regions);
  Block second(tree, input, own_terms, symbols, writer, &needed);
  writer.watch(second.objects());
  if (manner.warps) {
    second.know_warps(works_by_warps(tree));
    second.share(layouts.layouts());
  }
  second.pipeline(manner.pipeline);
  if (const Status done = second.run(); !done) {
    return is_cancelled(done) ? Result<std::optional<Values>>(fail(done.error()))
                              : refuse(second.where(), done.error().message);
  }
  Values made;
  made.asks_for_last = second.asks_for_last();
  Result<std::string> text = writer.program(name);
  if (!text && text.error().code == ErrorCode::kUnsupported) {
    return refuse({}, text.error().message);
  }
  WS_TRY(made.program.ir, std::move(text));
  made.program.indices = writer.indices();
  return std::optional(std::move(made));
}

/// The other cases that are possible where a program was made for `one`.
std::vector<PipelineCase> other_cases(const PipelineCase& one, bool asks_for_last) {
  std::vector<PipelineCase> all;
  for (int inside = 0; inside < one.period; ++inside) {
    for (const bool last : {false, true}) {
      if ((inside > 0 || last) && (!last || asks_for_last)) {
        all.push_back({one.period, inside, 0, one.peeled, false, last});
      }
    }
  }
  for (int after = 1; after < one.period; ++after) {
    all.push_back({one.period, 0, after, one.peeled, false, false});
  }
  if (one.peeled) {
    all.push_back({one.period, 0, 0, true, true, false});
    all.push_back({one.period, 0, 0, true, true, true});
  }
  return all;
}

/// The program of a kernel whose rounds load for later ones. Whatever the number of a round, and
/// how many there are, it has to be the same.
Result<std::optional<Program>> pipeline_of(const Tree& tree, const LaunchInput& input,
                                           Symbols& symbols, const std::string& name,
                                           Refusal& refusal) {
  const std::array<PipelineCase, 5> tries = {{{1, 0, 0, false, false, false},
                                              {1, 0, 0, true, false, false},
                                              {2, 0, 0, false, false, false},
                                              {3, 0, 0, false, false, false},
                                              {4, 0, 0, false, false, false}}};
  for (const PipelineCase& one : tries) {
    WS_TRY(std::optional<Values> made, values_of(tree, input, symbols, name, {true, one}, refusal));
    const std::vector<PipelineCase> others =
        made ? other_cases(one, made->asks_for_last) : std::vector<PipelineCase>();
    for (std::size_t i = 0; i < others.size() && made; ++i) {
      WS_TRY(const std::optional<Values> same,
             values_of(tree, input, symbols, name, {true, others[i]}, refusal));
      if (!same || same->program.ir != made->program.ir) {
        made.reset();
      }
    }
    if (made) {
      return std::optional(std::move(made->program));
    }
  }
  return std::optional<Program>();
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
  Refusal refusal;
  WS_TRY(std::optional<Values> made, values_of(tree, input, symbols, name, {}, refusal));
  if (made) {
    return std::move(made->program);
  }
  WS_TRY(Program orchestrated, refused(tree, input, symbols, name, refusal.range, refusal.why));
  const bool says_more = has_tiles(orchestrated) && !has_value_products(tree);
  if (orchestrated.whole() || !has_warp_values(tree) || says_more) {
    return orchestrated;
  }
  WS_TRY(made, values_of(tree, input, symbols, name, {true, {}}, refusal));
  if (made) {
    return std::move(made->program);
  }
  Refusal other;
  WS_TRY(std::optional<Program> pipeline, pipeline_of(tree, input, symbols, name, other));
  return pipeline ? Result<Program>(*std::move(pipeline))
                  : refused(tree, input, symbols, name, refusal.range, refusal.why);
}

}  // namespace ws::lift
