#include "runtime/evaluate/validate/arena_pair.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/numbers.h"
#include "runtime/evaluate/validate/conditioning.h"

namespace ws {
namespace {

/// A candidate may take this much longer than the reference, checks included, before it counts as
/// hanging.
constexpr double kPatience = 200;
constexpr std::chrono::milliseconds kLeastLimit{2000};
constexpr std::chrono::milliseconds kMostLimit{60'000};

std::string ill_conditioned(const Mismatch& mismatch, double excess) {
  return "the problem is ill conditioned: rounding its inputs moves the reference's `" +
         mismatch.output + "` by as much as the kernel is off, " + three_digits(excess) +
         " times the tolerance; change the `fill` of its inputs, or ask for a larger tolerance";
}

}  // namespace

Result<ArenaPair::Opened> ArenaPair::open(Backend& backend, HostWorkers& hosts,
                                          const Subject& subject, const Workload& workload,
                                          const Params& params, const ValidationRequest& request,
                                          const std::stop_token& stop) {
  WS_TRY(const Compiled candidate,
         compile_for(backend, subject.problem, subject.kernel, workload, params,
                     {.build = Build::kBounds, .fresh = request.fresh}, stop));
  if (!candidate.ok()) {
    return Opened{nullptr, candidate.verdict, candidate.message,
                  candidate.reply.outcome->diagnostics};
  }
  WS_TRY(OpenedReference reference,
         open_reference(backend, hosts, subject.problem, workload, stop));
  if (!reference.reference) {
    return Opened{nullptr, Verdict::kInvalidReference, reference.message, reference.diagnostics};
  }
  WS_TRY(const ErrorModel error_model, ErrorModel::of(subject.problem, workload));
  std::unique_ptr<ArenaPair> pair(
      new ArenaPair(error_model, workload, params, std::move(reference.reference)));
  WS_TRY(pair->candidate_, prepare(backend, candidate, RunAs::kCandidate, request.batch));
  return Opened{std::move(pair), Verdict::kPassed, {}, {}};
}

Result<bool> ArenaPair::draw_reference(const ValidationRequest& request, const ValidationRun& run,
                                       ValidationResult& result, const std::stop_token& stop) {
  const DrawRequest how{.secret = request.secret,
                        .run = run,
                        .limit = request.reference_limit,
                        .on_inputs = [this](const Reference& reference) {
                          copy_inputs(reference.plan(), reference.arena(), *candidate_.arena);
                        }};
  WS_TRY(const Drawn drawn, draw(*reference_, error_model_, how, stop));
  seed_ = drawn.seed;
  reference_us_ = drawn.elapsed_us;
  result.message = drawn.message;
  return drawn.message.empty();
}

Result<OutputCheck> ArenaPair::check_outputs(const MemoryGuard& guard,
                                             const ValidationRequest& request,
                                             Distribution distribution, RunRecord& record,
                                             const std::stop_token& stop) {
  Allowance allowance;
  const auto checked = [&] {
    return error_model_.check(reference_->plan(), reference_->arena(), *candidate_.arena, guard,
                              distribution, allowance);
  };
  NudgeRequest how{.distribution = distribution,
                   .seed = seed_,
                   .reduction_length = error_model_.longest_reduction(reference_->plan().buffers),
                   .doubt = {},
                   .limit = request.reference_limit};
  OutputCheck check = checked();
  if (check.doubt && check.doubt->lone) {
    how.doubt = *check.doubt;
    WS_TRY(allowance.sizes, sizes_of(*reference_, error_model_.problem(), how, stop));
    check = checked();
  }
  if (!check.doubt) {
    return check;
  }
  how.doubt = *check.doubt;
  WS_TRY(allowance.slacks, slacks_of(*reference_, error_model_.problem(), how, stop));
  OutputCheck widened = checked();
  if (widened.verdict == Verdict::kPassed) {
    record.widened = how.doubt.excess;
  } else if (widened.mismatch &&
             is_explained(reference_->plan(), allowance.slacks, *widened.mismatch, how.doubt)) {
    widened.verdict = Verdict::kInvalidReference;
    widened.message = ill_conditioned(*widened.mismatch, how.doubt.excess);
    widened.mismatch.reset();
  }
  return widened;
}

Status ArenaPair::compare_outputs(const MemoryGuard& guard, const ValidationRequest& request,
                                  Distribution distribution, RunRecord& record,
                                  ValidationResult& result, const std::stop_token& stop) {
  WS_TRY(OutputCheck check, check_outputs(guard, request, distribution, record, stop));
  record.verdict = check.verdict;
  record.max_abs_error = check.max_abs_error;
  record.max_rel_error = check.max_rel_error;
  result.message = check.message;
  result.mismatch = std::move(check.mismatch);
  return {};
}

Result<RunRecord> ArenaPair::run(const ValidationRequest& request, const ValidationRun& run,
                                 ValidationResult& result, const std::stop_token& stop) {
  RunRecord record{.workload = workload_,
                   .params = params_,
                   .distribution = std::string(name_of(run.distribution)),
                   .shrunk_from = std::nullopt};
  WS_TRY(const bool drawn, draw_reference(request, run, result, stop));
  if (!drawn) {
    record.verdict = Verdict::kInvalidReference;
    return record;
  }
  const MemoryGuard guard(candidate_.plan, *candidate_.arena,
                          derive_seed(seed_, "candidate's memory"));
  const auto limit = std::clamp(
      kLeastLimit + std::chrono::milliseconds(std::llround(kPatience * reference_us_ / 1000)),
      kLeastLimit, kMostLimit);
  WS_TRY(const RunOutcome outcome,
         candidate_.session->run(launch_poison(seed_, "candidate"), limit, stop));
  if (!outcome.ok()) {
    result.fault = describe_fault(outcome, candidate_.compiled->image, candidate_.plan, limit);
    result.message = result.fault->message;
    record.verdict = result.fault->verdict;
    return record;
  }
  if (const auto damage = guard.damage()) {
    Fault fault;
    fault.verdict = damage->verdict;
    fault.kind =
        damage->verdict == Verdict::kOutOfBounds ? "guard_zone_written" : name_of(damage->verdict);
    fault.message = damage->message;
    fault.buffer = damage->buffer;
    fault.access = "write";
    result.fault = fault;
    result.message = damage->message;
    record.verdict = damage->verdict;
    return record;
  }
  WS_CHECK(compare_outputs(guard, request, run.distribution, record, result, stop));
  return record;
}

}  // namespace ws
