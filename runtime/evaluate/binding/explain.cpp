#include "runtime/evaluate/binding/explain.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/evaluate/binding/kernel_side.h"
#include "runtime/ir/syntax/diagnostics.h"
#include "runtime/ir/translation/rules.h"

namespace ws {
namespace {

using Rule = ir::TranslationRule;

Explanation explanation(Rule rule, int line = 0, int other_line = 0) {
  const ir::RuleInfo& info = ir::info_of(rule);
  return {info.id, info.what, info.fix, line, other_line};
}

/// Empty for line 0.
std::string line_of(const Subject& subject, int line) {
  return line == 0 ? std::string()
                   : std::string(trimmed(
                         ir::line_of(subject.kernel.source, static_cast<std::uint32_t>(line))));
}

/// A launch of the kernel has a grid that is rounded down.
bool rounds_down(const Kernel& kernel, const std::string& entry) {
  return std::ranges::any_of(kernel.launches, [&](const LaunchSpec& launch) {
    return launch.entry == entry && std::ranges::any_of(launch.grid, [](const std::string& size) {
             return size.find("//") != std::string::npos;
           });
  });
}

Result<std::vector<ir::Difference>> compare_programs(const KernelSide& own, const KernelSide& other,
                                                     std::size_t index) {
  const auto is_julia = [](const KernelSide& side) { return side.image.language == "cutile_jl"; };
  const bool julia = is_julia(own);
  WS_TRY(const std::vector<ir::Fact> original, facts_of(other, index, is_julia(other)));
  std::optional<ir::Differences> best;
  // Arrays of Julia mostly lie the other way round, and need not.
  for (const bool reversed : {julia, false}) {
    WS_TRY(const std::vector<ir::Fact> translation, facts_of(own, index, reversed));
    ir::Differences found = ir::compare_facts(
        translation, original, julia,
        [&own](std::uint32_t line) { return line_of(*own.subject, static_cast<int>(line)); });
    if (!best || found.facts < best->facts) {
      best = std::move(found);
    }
  }
  return std::move(best->rows);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// For each parameter of a step's function, the common name of the buffer that it gets.
std::map<std::string, std::string> parameters_of(const KernelSide& side, const LaunchStep& step) {
  std::map<std::string, std::string> names;
  for (const CompiledEntry& entry : side.compiled.image().entries) {
    for (std::size_t i = 0; entry.name == step.entry && i < step.args.size(); ++i) {
      const LaunchArg& arg = step.args[i];
      if (i < entry.params.size() && arg.kind == LaunchArg::Kind::kBuffer) {
        const std::string& buffer =
            side.compiled.plan.buffers.at(static_cast<std::size_t>(arg.buffer)).name;
        const auto common = side.buffers.find(buffer);
        names[lower(entry.params[i].name)] =
            common == side.buffers.end() ? buffer : common->second.name;
      }
    }
  }
  return names;
}

void compare_launches(const KernelSide& own, const KernelSide& other,
                      std::vector<Explanation>& rows) {
  const std::vector<LaunchStep>& steps = own.compiled.plan.steps;
  const std::vector<LaunchStep>& others = other.compiled.plan.steps;
  for (std::size_t i = 0; i < std::min(steps.size(), others.size()); ++i) {
    const auto blocks = [](const LaunchStep& step) {
      return step.grid[0] * step.grid[1] * step.grid[2];
    };
    if (blocks(steps[i]) < blocks(others[i]) && rounds_down(own.subject->kernel, steps[i].entry)) {
      rows.push_back(explanation(Rule::kGridFloor));
    }
    const auto wanted = parameters_of(other, others[i]);
    int exchanged = 0;
    for (const auto& [parameter, buffer] : parameters_of(own, steps[i])) {
      const auto same = wanted.find(parameter);
      exchanged += same != wanted.end() && same->second != buffer ? 1 : 0;
    }
    if (exchanged > 1) {
      rows.push_back(explanation(Rule::kLaunchOrder));
    }
  }
}

/// The rule that the verdict itself names, where no other one explains the line.
void add_fault(const ValidationResult& result, std::vector<Explanation>& rows) {
  if (!result.fault || result.fault->line == 0) {
    return;
  }
  const int line = result.fault->line;
  const std::string_view no_padding = ir::info_of(Rule::kPadUndetermined).id;
  const auto none = [&rows](auto matches) { return std::ranges::none_of(rows, matches); };
  if (result.verdict == Verdict::kUninitialisedRead &&
      none([&](const Explanation& row) { return row.rule == no_padding; })) {
    rows.push_back(explanation(Rule::kPadUndetermined, line));
  } else if (result.verdict == Verdict::kOutOfBounds &&
             none([&](const Explanation& row) { return row.line == line; })) {
    rows.push_back(explanation(Rule::kBoundsUnchecked, line));
  }
}

/// The failed run's sizes and others, those first that are no powers of two: a stride that equals
/// another one hides what is exchanged.
Result<std::vector<Workload>> sizes_of(const PairRequest& request, const ValidationResult& result) {
  constexpr std::size_t kOthers = 6;
  std::vector<Workload> sizes = {result.runs.back().workload};
  WS_TRY(const std::vector<Workload> hidden,
         hidden_workloads(request.subject.problem, sizes, kOthers, request.seed));
  for (const Workload& workload : hidden) {
    const auto theirs =
        other_workload(request.binding, request.subject.problem, request.against.problem, workload);
    const Kernel& kernel = request.subject.kernel;
    if (theirs && takes(request.subject.problem, kernel, workload) &&
        takes(request.against.problem, request.against.kernel, *theirs)) {
      sizes.push_back(workload);
    }
  }
  std::ranges::stable_sort(sizes, {}, [](const Workload& workload) {
    return std::ranges::count_if(workload.dims, [](const auto& dim) {
      return std::has_single_bit(static_cast<std::uint64_t>(dim.second));
    });
  });
  return sizes;
}

/// The rules that the sources break at one choice of sizes.
Result<std::vector<Explanation>> explain_at(Backend& backend, const PairRequest& request,
                                            const Workload& workload, const std::stop_token& stop) {
  std::vector<Explanation> rows;
  const Problem& problem = request.subject.problem;
  WS_TRY(const Workload theirs,
         other_workload(request.binding, problem, request.against.problem, workload));
  WS_TRY(std::optional<KernelSide> own, open_side(backend, request.subject, workload, stop));
  WS_TRY(std::optional<KernelSide> other, open_side(backend, request.against, theirs, stop));
  if (!own || !other) {
    return rows;
  }
  own->buffers = own_buffers(own->compiled.plan);
  other->buffers = other_buffers(request.binding, own->compiled.plan, other->compiled.plan);
  compare_launches(*own, *other, rows);
  const std::size_t programs = std::min(own->image.programs.size(), other->image.programs.size());
  for (std::size_t i = 0; i < programs; ++i) {
    WS_TRY(const std::vector<ir::Difference> found, compare_programs(*own, *other, i));
    for (const ir::Difference& row : found) {
      rows.push_back(
          explanation(row.rule, static_cast<int>(row.line), static_cast<int>(row.other_line)));
    }
  }
  return rows;
}

}  // namespace

Result<std::vector<Explanation>> explain_pair(Backend& backend, const PairRequest& request,
                                              const ValidationResult& result,
                                              const std::stop_token& stop) {
  std::vector<Explanation> rows;
  if (result.runs.empty()) {
    return rows;
  }
  WS_TRY(const std::vector<Workload> sizes, sizes_of(request, result));
  for (std::size_t i = 0; i < sizes.size() && rows.empty(); ++i) {
    WS_TRY(rows, explain_at(backend, request, sizes[i], stop));
  }
  add_fault(result, rows);
  for (Explanation& row : rows) {
    row.text = line_of(request.subject, row.line);
    row.other_text = line_of(request.against, row.other_line);
  }
  return rows;
}

}  // namespace ws
