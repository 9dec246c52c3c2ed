#include "tools/common/arena_pair.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

constexpr int kRedraws = 4;
/// A candidate may take this much longer than the reference, checks included, before it counts as
/// hanging.
constexpr double kPatience = 200;
constexpr std::chrono::milliseconds kLeastLimit{2000};
constexpr std::chrono::milliseconds kMostLimit{60'000};

bool is_output(const BufferSpec& buffer) {
  return buffer.role == BufferRole::kOut || buffer.role == BufferRole::kInout;
}

}  // namespace

Result<ArenaPair::Opened> ArenaPair::open(Backend& backend, const Subject& subject,
                                          const Workload& workload, const Params& params,
                                          bool fresh, const std::stop_token& stop) {
  WS_TRY(const Compiled candidate,
         compile_for(backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kBounds, .fresh = fresh}, stop));
  if (!candidate.ok()) {
    return Opened{nullptr, candidate.verdict, candidate.message,
                  candidate.reply.outcome->diagnostics};
  }
  const Kernel& trusted = *subject.problem.reference;
  WS_TRY(const Compiled reference, compile_for(backend, subject.problem, trusted, workload,
                                               trusted.defaults, {.build = Build::kFast}, stop));
  if (!reference.ok()) {
    return Opened{nullptr, "invalid_reference",
                  "the problem's reference does not compile: " + reference.message,
                  reference.reply.outcome->diagnostics};
  }
  std::unique_ptr<ArenaPair> pair(new ArenaPair(subject, workload, params));
  WS_TRY(const auto flops, flops_of(subject.problem, workload));
  if (flops) {
    pair->flops_ = static_cast<double>(*flops);
  }
  WS_TRY(pair->candidate_, prepare(backend, candidate));
  WS_TRY(pair->reference_, prepare(backend, reference));
  return Opened{std::move(pair), {}, {}, {}};
}

double ArenaPair::reduction_of(const ArgSpec& arg, const BufferSpec& buffer) const {
  return reduction_length(arg, workload_, flops_, buffer.elements);
}

double ArenaPair::longest_reduction() const {
  double longest = 1;
  for (const BufferSpec& buffer : reference_.plan.buffers) {
    const ArgSpec* arg = subject_.problem.find_arg(buffer.name);
    if (arg != nullptr && is_output(buffer)) {
      longest = std::max(longest, reduction_of(*arg, buffer));
    }
  }
  return longest;
}

Result<bool> ArenaPair::draw_reference(const ValidationRequest& request, const ValidationRun& run,
                                       ValidationResult& result, const std::stop_token& stop) {
  for (int attempt = 0; attempt <= kRedraws; ++attempt) {
    seed_ = run_seed(request.secret, run, attempt);
    WS_CHECK(fill_inputs(subject_.problem, reference_.plan, run.distribution, seed_,
                         longest_reduction(), *reference_.arena));
    // Before the reference runs: it may change inout arguments.
    copy_inputs(reference_.plan, *reference_.arena, *candidate_.arena);
    const Watch watch(reference_.plan, *reference_.arena, seed_ ^ 1U);
    WS_TRY(const RunOutcome outcome,
           reference_.session->run(seed_ | 1U, request.reference_limit, stop));
    if (!outcome.ok()) {
      const Fault fault = describe_fault(outcome, reference_.compiled->image, reference_.plan,
                                         request.reference_limit);
      result.message = "the problem's reference went wrong: " + fault.message;
      return false;
    }
    if (const auto damage = watch.damage()) {
      result.message = "the problem's reference went wrong: " + damage->message;
      return false;
    }
    reference_us_ = outcome.elapsed_us;
    result.message = unusable(watch);
    if (result.message.empty()) {
      return true;
    }
  }
  result.message += " in " + std::to_string(kRedraws + 1) + " draws";
  return false;
}

std::string ArenaPair::unusable(const Watch& watch) const {
  for (std::size_t i = 0; i < reference_.plan.buffers.size(); ++i) {
    const BufferSpec& buffer = reference_.plan.buffers[i];
    if (!is_output(buffer)) {
      continue;
    }
    if (watch.unwritten(i)) {
      return "the problem's reference left elements of `" + buffer.name + "` unwritten";
    }
    if (!examine_reference(buffer, reference_.arena->buffer(i)).in_range) {
      return "the problem's reference gave values of `" + buffer.name +
             "` that are not finite or out of range";
    }
  }
  return {};
}

void ArenaPair::compare_outputs(const Watch& watch, Distribution distribution, RunRecord& record,
                                ValidationResult& result) const {
  for (std::size_t i = 0; i < reference_.plan.buffers.size(); ++i) {
    const BufferSpec& buffer = reference_.plan.buffers[i];
    const ArgSpec* arg = subject_.problem.find_arg(buffer.name);
    if (arg == nullptr || !is_output(buffer)) {
      continue;
    }
    const std::span<const std::byte> want = reference_.arena->buffer(i);
    const std::span<const std::byte> got = candidate_.arena->buffer(i);
    const ErrorBound bound =
        bound_for_run(error_bound(subject_.problem, *arg, reduction_of(*arg, buffer)), distribution,
                      examine_reference(buffer, want));
    const Comparison comparison = compare(buffer, got, want, bound, watch.poison(i));
    record.max_abs_error = std::max(record.max_abs_error, comparison.max_abs_error);
    record.max_rel_error = std::max(record.max_rel_error, comparison.max_rel_error);
    if (comparison.passed() || record.verdict != "passed") {
      continue;
    }
    record.verdict = comparison.verdict();
    result.message = "output `" + buffer.name + "`: ";
    if (comparison.mismatches == 0) {
      result.message += "the gap before element " + std::to_string(*comparison.touched_gap) +
                        " of its strides was written";
      continue;
    }
    result.mismatch =
        Mismatch{buffer.name, comparison.worst.value_or(WorstElement{}), comparison.mismatches,
                 comparison.share(), describe_mismatch(buffer, got, want, comparison, arg->shape)};
    result.message += std::to_string(comparison.mismatches) + " of " +
                      std::to_string(comparison.elements) +
                      " elements differ: " + result.mismatch->pattern.text;
  }
}

Result<RunRecord> ArenaPair::run(const ValidationRequest& request, const ValidationRun& run,
                                 ValidationResult& result, const std::stop_token& stop) {
  RunRecord record{.workload = workload_,
                   .params = params_,
                   .distribution = std::string(name_of(run.distribution)),
                   .shrunk_from = std::nullopt};
  WS_TRY(const bool drawn, draw_reference(request, run, result, stop));
  if (!drawn) {
    record.verdict = "invalid_reference";
    return record;
  }
  const Watch watch(candidate_.plan, *candidate_.arena, seed_ ^ 2U);
  const auto limit = std::clamp(
      kLeastLimit + std::chrono::milliseconds(std::llround(kPatience * reference_us_ / 1000)),
      kLeastLimit, kMostLimit);
  WS_TRY(const RunOutcome outcome, candidate_.session->run(~seed_ | 1U, limit, stop));
  if (!outcome.ok()) {
    result.fault = describe_fault(outcome, candidate_.compiled->image, candidate_.plan, limit);
    result.message = result.fault->message;
    record.verdict = result.fault->verdict;
    return record;
  }
  if (const auto damage = watch.damage()) {
    Fault fault;
    fault.verdict = damage->verdict;
    fault.kind = damage->verdict == "out_of_bounds" ? "guard_zone_written" : damage->verdict;
    fault.message = damage->message;
    fault.buffer = damage->buffer;
    fault.access = "write";
    result.fault = fault;
    result.message = damage->message;
    record.verdict = damage->verdict;
    return record;
  }
  compare_outputs(watch, run.distribution, record, result);
  return record;
}

}  // namespace ws
