#include "runtime/evaluate/measure/timed_outputs.h"

#include <algorithm>
#include <map>

#include "runtime/evaluate/measure/digest_check.h"
#include "runtime/evaluate/memory_guard.h"
#include "runtime/judge/compare.h"
#include "runtime/judge/conditioning.h"
#include "runtime/judge/unordered.h"

namespace ws {
namespace {

/// Both sides may be wrong by the tolerance.
constexpr double kTwoSided = 2;

}  // namespace

TimedOutputs::TimedOutputs(const Problem& problem, const ResolvedPlan& plan,
                           const Workload& workload, std::optional<double> flops)
    : problem_(problem),
      plan_(plan) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    const ArgSpec* arg = problem.find_arg(buffer.name);
    const bool written = buffer.role == BufferRole::kOut || buffer.role == BufferRole::kInout;
    if (arg == nullptr || !written) {
      continue;
    }
    const double length = ws::reduction_length(*arg, workload, flops, buffer.elements);
    outputs_.emplace_back(i, scaled(error_bound(problem, *arg, length), kTwoSided));
    reduction_length_ = std::max(reduction_length_, length);
  }
}

bool TimedOutputs::has_order(std::size_t index) const {
  return !has_any_order(problem_, plan_.buffers[index].name);
}

bool TimedOutputs::is_judgeable(const Arena& baseline) const {
  return std::all_of(outputs_.begin(), outputs_.end(), [&](const auto& output) {
    if (!has_order(output.first)) {  // Rows that do not count may hold anything.
      return in_range(sorted_rows(problem_, plan_.buffers, output.first, bytes_of(baseline)));
    }
    return examine_reference(plan_.buffers[output.first], baseline.buffer(output.first)).in_range;
  });
}

Result<bool> TimedOutputs::compare(const Arena& kernel, const Arena& baseline,
                                   Distribution distribution) {
  if (distribution != Distribution::kDeclared && !is_judgeable(baseline)) {
    return false;
  }
  for (const auto& [index, bound] : outputs_) {
    const BufferSpec& spec = plan_.buffers[index];
    if (!has_order(index)) {
      WS_CHECK(compare_rows_of(index, kernel, baseline));
      continue;
    }
    const std::span<const std::byte> got = kernel.buffer(index);
    const std::span<const std::byte> want = baseline.buffer(index);
    if (!bound.exact && !shows_size(spec, want)) {
      lone_.push_back(
          {index, bound, {got.begin(), got.end()}, {want.begin(), want.end()}, distribution});
      continue;
    }
    compare_output(spec, bound, got, want);
  }
  return true;
}

Status TimedOutputs::compare_rows_of(std::size_t index, const Arena& kernel,
                                     const Arena& baseline) {
  const auto bound_of = [this](const CountedOutput& rows) {
    return std::ranges::find_if(outputs_,
                                [&](const auto& output) {
                                  return plan_.buffers[output.first].name == rows.arg.name;
                                })
        ->second;
  };
  const RowsComparison rows = compare_any_order(problem_, plan_.buffers, index, bytes_of(kernel),
                                                bytes_of(baseline), bound_of);
  const std::string output = "in a timed launch, output `" + plan_.buffers[index].name + "`";
  if (rows.agreement == Agreement::kUnknown) {
    return fail(ErrorCode::kUnsupported, output + ": " + rows.pattern.text, rows.pattern.hint);
  }
  if (rows.agreement == Agreement::kOther && problem_found_.empty()) {
    problem_found_ = output + " has other rows than the baseline's";
  }
  return {};
}

void TimedOutputs::compare_output(const BufferSpec& spec, const ErrorBound& bound,
                                  std::span<const std::byte> got, std::span<const std::byte> want) {
  const Comparison comparison = ws::compare(spec, got, want, bound);
  if (!comparison.passed() && problem_found_.empty()) {
    problem_found_ = "in a timed launch, output `" + spec.name + "` differs from the " +
                     "baseline's in " + std::to_string(comparison.mismatches) + " of " +
                     std::to_string(comparison.elements) + " elements";
  }
}

Status TimedOutputs::compare_digests(const std::vector<OutputDigest>& kernel,
                                     const std::vector<OutputDigest>& baseline) {
  if (kernel.size() != baseline.size()) {
    return fail(ErrorCode::kInternal, "the sides of a measurement took " +
                                          std::to_string(kernel.size()) + " and " +
                                          std::to_string(baseline.size()) + " digests");
  }
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    for (const auto& [index, bound] : outputs_) {
      const BufferSpec& spec = plan_.buffers[index];
      if (index == baseline[i].buffer && has_order(index) && problem_found_.empty() &&
          spec.elements >= kTellingElements &&
          !digests_agree(spec, kernel[i], baseline[i], bound)) {
        problem_found_ = "in a timed launch, output `" + spec.name + "` as a whole differs from " +
                         "the baseline's on the same inputs";
      }
    }
  }
  return {};
}

void TimedOutputs::compare_lone() {
  std::map<std::pair<std::size_t, Distribution>, double> usual;
  for (const LoneOutput& output : lone_) {
    double& size = usual[{output.index, output.distribution}];
    size = std::max(size, largest_finite(plan_.buffers[output.index], output.want));
  }
  for (LoneOutput& output : lone_) {
    output.bound.lone = usual.at({output.index, output.distribution});
    compare_output(plan_.buffers[output.index], output.bound, output.got, output.want);
  }
}

}  // namespace ws
