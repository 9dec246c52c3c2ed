#include "runtime/evaluate/validate/output_check.h"

#include <algorithm>
#include <cmath>

#include "runtime/judge/conditioning.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

/// Zeros where the memory held zeros may be results of a row that is nearly zero.
bool may_be_rounding(const Comparison& comparison, const ErrorBound& bound) {
  return !bound.exact && comparison.verdict() == Verdict::kIncorrect &&
         (comparison.unwritten == 0 || comparison.max_wide_excess <= 1);
}

/// Whether another output may still show that the kernel is wrong.
bool undecided(Verdict verdict) {
  return verdict == Verdict::kPassed || verdict == Verdict::kUnsupported;
}

double error_of(const Comparison& comparison) {
  return comparison.worst ? std::abs(comparison.worst->got - comparison.worst->want) : 0;
}

}  // namespace

bool is_output(const BufferSpec& buffer) {
  return buffer.role == BufferRole::kOut || buffer.role == BufferRole::kInout;
}

Result<ErrorModel> ErrorModel::of(const Problem& problem, const Workload& workload) {
  ErrorModel error_model(problem, workload);
  WS_TRY(const auto flops, flops_of(problem, workload));
  if (flops) {
    error_model.flops_ = static_cast<double>(*flops);
  }
  return error_model;
}

double ErrorModel::reduction_of(const ArgSpec& arg, const BufferSpec& buffer) const {
  return reduction_length(arg, workload_, flops_, buffer.elements);
}

double ErrorModel::longest_reduction(const std::vector<BufferSpec>& buffers) const {
  double longest = 1;
  for (const BufferSpec& buffer : buffers) {
    const ArgSpec* arg = problem_->find_arg(buffer.name);
    if (arg != nullptr && is_output(buffer)) {
      longest = std::max(longest, reduction_of(*arg, buffer));
    }
  }
  return longest;
}

std::vector<OutputBound> ErrorModel::bounds(const std::vector<BufferSpec>& buffers) const {
  std::vector<OutputBound> found;
  for (const BufferSpec& buffer : buffers) {
    const ArgSpec* arg = problem_->find_arg(buffer.name);
    if (arg != nullptr && is_output(buffer)) {
      found.push_back(
          {buffer.name, buffer.type, explain_bound(*problem_, *arg, reduction_of(*arg, buffer))});
    }
  }
  return found;
}

ErrorBound ErrorModel::bound_of(const ArgSpec& arg, const BufferSpec& output,
                                std::span<const std::byte> want, Distribution distribution) const {
  return bound_for(error_bound(*problem_, arg, reduction_of(arg, output)), output, want,
                   distribution);
}

ErrorBound ErrorModel::bound_for(const ErrorBound& bound, const BufferSpec& output,
                                 std::span<const std::byte> want, Distribution distribution) const {
  ReferenceFacts facts = examine_reference(output, want);
  facts.exact_sum = facts.exact_sum && !reference_rounds_;
  return bound_for_run(bound, distribution, facts);
}

Agreement ErrorModel::agreement(const std::vector<BufferSpec>& buffers, std::size_t output,
                                const BufferBytes& got, const BufferBytes& want,
                                Distribution distribution) const {
  const BufferSpec& buffer = buffers[output];
  const ArgSpec* arg = problem_->find_arg(buffer.name);
  if (arg == nullptr) {
    return Agreement::kSame;
  }
  if (arg->unordered) {
    return compare_any_order(buffers, output, got, want, distribution).agreement;
  }
  const ErrorBound bound = bound_of(*arg, buffer, want(output), distribution);
  return compare(buffer, got(output), want(output), bound).passed() ? Agreement::kSame
                                                                    : Agreement::kOther;
}

RowsComparison ErrorModel::compare_any_order(const std::vector<BufferSpec>& buffers,
                                             std::size_t output, const BufferBytes& got,
                                             const BufferBytes& want, Distribution distribution,
                                             const Poison* poison) const {
  return ws::compare_any_order(
      *problem_, buffers, output, got, want,
      [&](const CountedOutput& rows) {
        return bound_for(error_bound(*problem_, rows.arg, reduction_of(rows.arg, rows.whole)),
                         rows.counted, rows.bytes, distribution);
      },
      poison);
}

void ErrorModel::add_any_order(const ResolvedPlan& plan, std::size_t output,
                               const Arena& want_arena, const Arena& got_arena,
                               const MemoryGuard& guard, Distribution distribution,
                               OutputCheck& result) const {
  RowsComparison rows = compare_any_order(plan.buffers, output, bytes_of(got_arena),
                                          bytes_of(want_arena), distribution, guard.poison(output));
  const Comparison& comparison = rows.comparison;
  result.max_abs_error = std::max(result.max_abs_error, comparison.max_abs_error);
  result.max_rel_error = std::max(result.max_rel_error, comparison.max_rel_error);
  const bool rounded = distribution == Distribution::kLarge;  // As in check().
  if (rows.agreement == Agreement::kSame || rounded || !undecided(result.verdict)) {
    return;
  }
  if (rows.agreement == Agreement::kUnknown) {
    result.verdict = Verdict::kUnsupported;
    result.message = "output `" + plan.buffers[output].name + "`: " + rows.pattern.text + "; " +
                     rows.pattern.hint;
    return;
  }
  result.verdict = comparison.verdict();
  result.message = "output `" + plan.buffers[output].name + "`: " + rows.pattern.text;
  result.mismatch = Mismatch{plan.buffers[output].name, *comparison.worst, comparison.mismatches,
                             comparison.share(), std::move(rows.pattern)};
}

OutputCheck ErrorModel::check(const ResolvedPlan& plan, const Arena& want_arena,
                              const Arena& got_arena, const MemoryGuard& guard,
                              Distribution distribution, const Allowance& allowance) const {
  OutputCheck result;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& buffer = plan.buffers[i];
    const ArgSpec* arg = problem_->find_arg(buffer.name);
    if (arg == nullptr || !is_output(buffer) || belongs_to_another(*arg)) {
      continue;
    }
    if (arg->unordered) {
      add_any_order(plan, i, want_arena, got_arena, guard, distribution, result);
      continue;
    }
    const std::span<const std::byte> want = want_arena.buffer(i);
    const std::span<const std::byte> got = got_arena.buffer(i);
    const double length = reduction_of(*arg, buffer);
    ErrorBound bound = bound_of(*arg, buffer, want, distribution);
    const auto size = allowance.sizes.find(i);
    const bool known = size != allowance.sizes.end();
    const bool sized = known || shows_usual_size(buffer, want);
    bound.lone = known && !shows_size(buffer, want) ? size->second : 0;
    Slack slack{.rows = {}, .own = {}, .usual = known ? size->second : 0};
    if (const auto moved = allowance.slacks.find(i); moved != allowance.slacks.end()) {
      slack.rows = moved->second.rows();
      slack.own = moved->second.own();
      slack.moves = moved->second.moves();
    }
    const Comparison comparison = compare(buffer, got, want, bound, guard.poison(i), slack);
    result.max_abs_error = std::max(result.max_abs_error, comparison.max_abs_error);
    result.max_rel_error = std::max(result.max_rel_error, comparison.max_rel_error);
    // No bound holds for rounding on large values.
    const bool rounded =
        distribution == Distribution::kLarge && comparison.verdict() == Verdict::kIncorrect;
    if (comparison.passed() || rounded || !undecided(result.verdict)) {
      continue;
    }
    result.verdict = comparison.verdict();
    if (may_be_rounding(comparison, bound)) {
      result.doubt = Doubt{.buffer = i,
                           .type = buffer.type,
                           .reduction_length = length,
                           .excess = comparison.max_excess,
                           .error = error_of(comparison),
                           .sized = sized,
                           .far = comparison.max_wide_excess > kMostDoubted};
    }
    result.message = "output `" + buffer.name + "`: ";
    if (comparison.mismatches == 0) {
      result.message += "the gap before element " + std::to_string(*comparison.touched_gap) +
                        " of its strides was written";
      continue;
    }
    result.mismatch = Mismatch{buffer.name,
                               comparison.worst.value_or(WorstElement{}),
                               comparison.mismatches,
                               comparison.share(),
                               describe_mismatch(buffer, got, want, comparison, arg->shape),
                               mismatch_cells(buffer, got, want, comparison)};
    result.message += std::to_string(comparison.mismatches) + " of " +
                      std::to_string(comparison.elements) +
                      " elements differ: " + result.mismatch->pattern.text;
  }
  return result;
}

}  // namespace ws
