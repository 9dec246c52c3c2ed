#include "runtime/evaluate/validate/arena_pair.h"

#include <algorithm>
#include <map>

#include "runtime/base/keyed_stream.h"
#include "runtime/base/numbers.h"
#include "runtime/evaluate/validate/conditioning.h"
#include "runtime/evaluate/validate/launch_limit.h"

namespace ws {
namespace {

/// A kernel whose threads wait for each other may be slow in one order: the limits before it is
/// said to hang there.
constexpr int kMorePatience = 2;
/// No launch of a validation has this turn.
constexpr std::uint64_t kOtherTurn = 1'000'000;
/// Launches at other times or places that are tried before a kernel counts as wrong in all of them.
/// One that is wrong in every 16th place is called so once in 65,536 times.
constexpr std::uint64_t kOtherTurns = 4;

std::string ill_conditioned(const Problem& problem, const Mismatch& mismatch, double excess) {
  const std::string inputs = drawn_inputs(problem);
  return "the problem is ill conditioned: rounding its inputs moves the reference's `" +
         mismatch.output + "` by as much as the kernel is off, " + three_digits(excess) +
         " times the tolerance; change the `fill` of " + (inputs.empty() ? "its inputs" : inputs) +
         ", or ask for a larger tolerance";
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
    return Opened{
        nullptr, candidate.verdict, candidate.message, candidate.reply.outcome->diagnostics, {}};
  }
  WS_TRY(OpenedReference reference,
         request.expected ? request.expected->open(workload, stop)
                          : open_reference(backend, hosts, subject.problem, workload, stop));
  if (!reference.reference) {
    return Opened{
        nullptr, Verdict::kInvalidReference, reference.message, reference.diagnostics, {}};
  }
  WS_TRY(const ErrorModel error_model, ErrorModel::of(subject.problem, workload));
  std::unique_ptr<ArenaPair> pair(new ArenaPair(backend, candidate, error_model, workload, params,
                                                std::move(reference.reference)));
  WS_TRY(pair->candidate_, prepare(backend, candidate, RunAs::kCandidate, request.batch));
  WS_TRY(const DeviceInfo device, backend.info());
  pair->patience_ = launch_patience(subject.kernel.language, device.emulated);
  return Opened{std::move(pair), Verdict::kPassed, {}, {}, notes_of(*candidate.reply.outcome)};
}

Result<bool> ArenaPair::draw_reference(const ValidationRequest& request, const ValidationRun& run,
                                       ValidationResult& result, const std::stop_token& stop) {
  DrawRequest how{.secret = request.secret,
                  .run = run,
                  .limit = request.reference_limit,
                  .on_inputs = [this](const Reference& reference) {
                    copy_inputs(reference.plan(), reference.arena(), *candidate_.arena);
                  }};
  if (request.expected) {
    how.who = request.expected->who;
  }
  WS_TRY(const Drawn drawn, draw(*reference_, error_model_, how, stop));
  seed_ = drawn.seed;
  reference_us_ = drawn.elapsed_us;
  result.message = drawn.message;
  return drawn.message.empty();
}

Result<OutputCheck> ArenaPair::check_outputs(const MemoryGuard& guard, const Trial& trial,
                                             RunRecord& record) {
  const Distribution distribution = trial.run.distribution;
  Allowance allowance;
  const auto checked = [&] {
    return error_model_.check(reference_->plan(), reference_->arena(), *candidate_.arena, guard,
                              distribution, allowance);
  };
  NudgeRequest how{.distribution = distribution,
                   .seed = seed_,
                   .reduction_length = error_model_.longest_reduction(reference_->plan().buffers),
                   .doubt = {},
                   .limit = trial.request.reference_limit};
  OutputCheck check = checked();
  if (distribution == Distribution::kLarge) {
    return check_large(std::move(check), how, trial.stop);
  }
  if (check.doubt && !check.doubt->sized) {
    how.doubt = *check.doubt;
    WS_TRY(allowance.sizes, sizes_of(*reference_, error_model_.problem(), how, trial.stop));
    check = checked();
  }
  if (!check.doubt) {
    return check;
  }
  how.doubt = *check.doubt;
  WS_TRY(allowance.slacks, slacks_of(*reference_, error_model_.problem(), how, trial.stop));
  OutputCheck widened = checked();
  if (widened.verdict == Verdict::kPassed) {
    record.widened = how.doubt.excess;
  } else if (widened.mismatch &&
             is_explained(reference_->plan(), allowance.slacks, *widened.mismatch, how.doubt)) {
    widened.verdict = Verdict::kInvalidReference;
    widened.message = ill_conditioned(error_model_.problem(), *widened.mismatch, how.doubt.excess);
    widened.mismatch.reset();
  }
  return widened;
}

Result<OutputCheck> ArenaPair::check_large(OutputCheck check, const NudgeRequest& how,
                                           const std::stop_token& stop) {
  if (check.verdict != Verdict::kIncorrectNan) {
    return check;
  }
  WS_TRY(const bool coupled,
         couples_columns(*reference_, error_model_.problem(), how, check.mismatch->output, stop));
  if (!coupled) {
    check.verdict = Verdict::kPassed;
    check.message.clear();
    check.mismatch.reset();
  }
  return check;
}

Status ArenaPair::compare_outputs(const MemoryGuard& guard, const Trial& trial, Attempt& attempt) {
  RunRecord& record = attempt.record;
  WS_TRY(OutputCheck check, check_outputs(guard, trial, record));
  record.verdict = check.verdict;
  record.max_abs_error = check.max_abs_error;
  record.max_rel_error = check.max_rel_error;
  attempt.message = check.message;
  attempt.mismatch = std::move(check.mismatch);
  return {};
}

Result<ArenaPair::Attempt> ArenaPair::launch(const Trial& trial, const RunMode& mode) {
  Attempt attempt;
  RunRecord& record = attempt.record;
  record.workload = workload_;
  record.params = params_;
  record.distribution = std::string(name_of(trial.run.distribution));
  record.order = mode.order;
  const MemoryGuard guard(candidate_.plan, *candidate_.arena,
                          derive_seed(seed_, "candidate's memory"),
                          {.keep_scratch = mode.keep_variables, .zeros = mode.zero_memory});
  const std::chrono::milliseconds limit = trial.patience * patience_ * launch_limit(reference_us_);
  const std::uint64_t turn_seed = turn_ == 0 ? seed_ : derive_seed(seed_, "turn", turn_);
  ++launched_;
  WS_TRY(
      const RunOutcome outcome,
      candidate_.session->run_as(mode, launch_poison(turn_seed, "candidate"), limit, trial.stop));
  if (!outcome.ok()) {
    spent_ = true;
    attempt.fault = describe_fault(outcome, candidate_.compiled->image, candidate_.plan, limit);
    attempt.message = attempt.fault->message;
    record.verdict = attempt.fault->verdict;
    return attempt;
  }
  attempt.changed_variable = outcome.reply.changed_variable;
  if (const auto damage = guard.damage()) {
    Fault fault;
    fault.verdict = damage->verdict;
    fault.kind =
        damage->verdict == Verdict::kOutOfBounds ? "guard_zone_written" : name_of(damage->verdict);
    fault.message = damage->message;
    fault.buffer = damage->buffer;
    fault.access = "write";
    attempt.fault = fault;
    attempt.message = damage->message;
    record.verdict = damage->verdict;
    return attempt;
  }
  WS_CHECK(compare_outputs(guard, trial, attempt));
  return attempt;
}

Result<ArenaPair::Attempt> ArenaPair::launch_again(const Trial& trial, const RunMode& mode) {
  if (spent_) {
    WS_TRY(candidate_, prepare(backend_, compiled_, RunAs::kCandidate, trial.request.batch));
    spent_ = false;
  }
  WS_CHECK(fill_inputs(error_model_.problem(), candidate_.plan, trial.run.distribution, seed_,
                       error_model_.longest_reduction(reference_->plan().buffers),
                       *candidate_.arena));
  return launch(trial, mode);
}

std::optional<FindingCode> ArenaPair::moving_part() const {
  const std::vector<FindingCode> notes = notes_of(*candidate_.compiled);
  const auto noted = [&](FindingCode note) {
    return std::ranges::find(notes, note) != notes.end();
  };
  return noted(FindingCode::kReadsClock)         ? std::optional(FindingCode::kTimeDependent)
         : noted(FindingCode::kLooksAtAddresses) ? std::optional(FindingCode::kPlaceDependent)
                                                 : std::nullopt;
}

ArenaPair::Attempt ArenaPair::stateful(Attempt failed, const Attempt& plain) const {
  failed.record.verdict = Verdict::kStateful;
  failed.message = state_message(candidate_.plan, candidate_.compiled->image,
                                 plain.changed_variable, failed.message);
  return failed;
}

Result<bool> ArenaPair::right_elsewhere(const Trial& trial, const RunMode& mode) {
  for (std::uint64_t turn = 0; turn < kOtherTurns; ++turn) {
    // Buffers move in each launch. Clocks and local arrays move with the turn, and with it comes
    // another random order.
    turn_ = mode.order == RunOrder::kAscending ? kOtherTurn + turn : 0;
    const Result<Attempt> again = launch_again(trial, mode);
    turn_ = 0;
    WS_CHECK(again);
    if (again->passed()) {
      return true;
    }
  }
  return false;
}

Result<ArenaPair::Attempt> ArenaPair::explain(const Trial& trial, const RunMode& mode,
                                              Attempt failed, ValidationResult& result) {
  if (failed.record.verdict == Verdict::kSuspect || !failed.wrong()) {
    return failed;  // No order and no memory is the reason.
  }
  const bool ascending = mode.order == RunOrder::kAscending;
  const auto part = moving_part();
  const bool place = part == FindingCode::kPlaceDependent;
  const auto moved = [&](Attempt attempt) {
    attempt.message = moved_message(*part, attempt.message);
    result.finding = part;
    return attempt;
  };
  if (part && (ascending || place)) {
    WS_TRY(const bool right, right_elsewhere(trial, mode));
    if (right) {
      return moved(std::move(failed));
    }
  }
  WS_TRY(Attempt plain, launch_again(trial, {.watch_variables = true}));
  // A clock stands where it stood in the launch that failed.
  if (plain.wrong() && part && !ascending) {
    WS_TRY(const bool right, right_elsewhere(trial, {}));
    return right ? moved(std::move(plain)) : plain;
  }
  if (!plain.passed()) {
    return plain;
  }
  if (mode.zero_memory) {
    failed.message = zeros_message(failed.message);
    result.finding = FindingCode::kUnwrittenMemory;
    return failed;
  }
  if (failed.record.verdict == Verdict::kTimeout) {
    if (mode.keep_variables) {
      WS_TRY(Attempt kept, launch_again(trial, {.keep_variables = true}));
      if (kept.wrong()) {
        return stateful(std::move(kept), plain);
      }
    }
    return !ascending ? explain_hang(trial, mode, std::move(plain), result)
                      : Result<Attempt>(plain);
  }
  if (!ascending) {
    WS_TRY(const Attempt fresh,
           launch_again(trial, {.order = mode.order, .ascending_blocks = mode.ascending_blocks}));
    if (!fresh.passed() || !mode.keep_variables) {
      const bool rounding = failed.mismatch && is_rounding(failed.mismatch->pattern);
      failed.message = order_message(mode.order, failed.message, rounding);
      result.finding = FindingCode::kOrderDependent;
      return failed;
    }
  }
  return stateful(std::move(failed), plain);
}

Result<bool> ArenaPair::differs_in(const Trial& trial, const Attempt& failed, const RunMode& mode) {
  const bool can_tell = has_modes() && failed.mismatch && !is_rounding(failed.mismatch->pattern) &&
                        trial.run.distribution != Distribution::kLarge;
  if (!can_tell) {
    return false;
  }
  const std::vector<BufferSpec>& buffers = candidate_.plan.buffers;
  std::map<std::size_t, std::vector<std::byte>> before;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (is_output(buffers[i])) {
      const auto bytes = candidate_.arena->buffer(i);
      before[i].assign(bytes.begin(), bytes.end());
    }
  }
  WS_TRY(const Attempt other, launch_again(trial, mode));
  if (other.fault) {
    return false;
  }
  const auto earlier = [&before](std::size_t i) {
    return std::span<const std::byte>(before.at(i));
  };
  return std::ranges::any_of(before, [&](const auto& output) {
    return error_model_.agreement(buffers, output.first, bytes_of(*candidate_.arena), earlier,
                                  trial.run.distribution) == Agreement::kOther;
  });
}

Result<bool> ArenaPair::differs_elsewhere(const Trial& trial, const Attempt& failed) {
  for (std::uint64_t turn = 0; turn < kOtherTurns; ++turn) {
    turn_ = kOtherTurn + turn;
    const Result<bool> differs = differs_in(trial, failed, {});
    turn_ = 0;
    WS_CHECK(differs);
    if (*differs) {
      return true;
    }
  }
  return false;
}

Status ArenaPair::explain_plain(const Trial& trial, Attempt& failed, ValidationResult& result) {
  if (const auto part = moving_part()) {
    WS_TRY(const bool differs, differs_elsewhere(trial, failed));
    if (differs) {
      failed.message = moved_message(*part, failed.message);
      result.finding = part;
      return {};
    }
  }
  WS_TRY(const bool differs, differs_in(trial, failed, {.order = RunOrder::kDescending}));
  if (differs) {
    failed.message = wrong_orders_message(failed.message);
    result.finding = FindingCode::kOrderDependent;
  }
  return {};
}

Result<ArenaPair::Attempt> ArenaPair::explain_hang(const Trial& trial, const RunMode& mode,
                                                   Attempt plain, ValidationResult& result) {
  // A block that waits for the one before it is right where that one starts first.
  Trial patient = trial;
  patient.patience = kMorePatience;
  WS_TRY(Attempt attempt, launch_again(patient, {.order = mode.order, .ascending_blocks = true}));
  if (attempt.passed()) {
    if (!mode.ascending_blocks) {
      result.notes.push_back(FindingCode::kOneOrder);
    }
    return plain;
  }
  if (!attempt.wrong()) {
    return attempt;
  }
  const bool rounding = attempt.mismatch && is_rounding(attempt.mismatch->pattern);
  attempt.message = attempt.record.verdict == Verdict::kTimeout
                        ? hang_message(mode.order, attempt.message)
                        : order_message(mode.order, attempt.message, rounding);
  result.finding = FindingCode::kOrderDependent;
  return attempt;
}

Result<RunRecord> ArenaPair::run(const ValidationRequest& request, const ValidationRun& run,
                                 const RunMode& mode, ValidationResult& result,
                                 const std::stop_token& stop) {
  const Trial trial{request, run, stop};
  const bool again = drawn_ == run.seed_index;
  if (!again) {
    drawn_ = run.seed_index;
    WS_TRY(const bool drawn, draw_reference(request, run, result, stop));
    if (!drawn) {
      return RunRecord{.workload = workload_,
                       .params = params_,
                       .distribution = std::string(name_of(run.distribution)),
                       .verdict = Verdict::kInvalidReference,
                       .shrunk_from = std::nullopt};
    }
  }
  WS_TRY(Attempt attempt, again ? launch_again(trial, mode) : launch(trial, mode));
  const bool plain =
      !mode.keep_variables && !mode.zero_memory && mode.order == RunOrder::kAscending;
  if (!attempt.passed() && !plain) {
    WS_TRY(attempt, explain(trial, mode, std::move(attempt), result));
  } else if (!attempt.passed() && turn_ == 0) {
    WS_CHECK(explain_plain(trial, attempt, result));
  }
  result.message = attempt.message;
  result.fault = std::move(attempt.fault);
  result.mismatch = std::move(attempt.mismatch);
  return std::move(attempt.record);
}

}  // namespace ws
