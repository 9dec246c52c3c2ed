#include "tools/evaluate/evaluate.h"

#include <algorithm>
#include <utility>

#include "runtime/base/age.h"
#include "runtime/base/numbers.h"
#include "tools/answer/subject_form.h"
#include "tools/evaluate/device_share.h"
#include "tools/evaluate/evaluate_schema.h"
#include "tools/evaluate/modelled.h"
#include "tools/evaluate/pinned.h"
#include "tools/evaluate/series.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/record.h"
#include "tools/kernels/kernel_choice.h"

namespace ws {
namespace {

constexpr StageSpan kCompileSpan{0, 0.2};
constexpr StageSpan kValidateSpan{0.2, 0.6};
constexpr StageSpan kBenchmarkSpan{0.6, 1};
constexpr const char* kKind = "evaluate";

std::size_t gpus_of(const Services& services) {
  return static_cast<std::size_t>(
      std::count_if(services.devices.begin(), services.devices.end(),
                    [](const Device& device) { return !device.id.starts_with("cpu:"); }));
}

/// Whether the reward of a right kernel was given with the knowledge that there is of its problem.
bool was_examined(const Evaluation& evaluation, const std::optional<Weaknesses>& weaknesses) {
  return weaknesses && evaluation.validation && evaluation.validation->weak_problem == *weaknesses;
}

/// The same job, of one kernel or of a batch, as a job of the tool.
template <typename Part>
ToolJob<EvaluateResult> widened(ToolJob<Part> job) {
  ToolJob<EvaluateResult> whole;
  whole.start = std::move(job.start);
  if (job.known) {
    whole.known = EvaluateResult{*std::move(job.known)};
  }
  whole.work = [work = std::move(job.work)](CallContext& own) -> Result<EvaluateResult> {
    EvaluateResult result;
    WS_TRY(result.outcome, work(own));
    return result;
  };
  return whole;
}

}  // namespace

Answer answer_of(const EvaluateResult& result) {
  return std::visit([](const auto& outcome) { return answer_of(outcome); }, result.outcome);
}

EvaluateTool::EvaluateTool(Services& services)
    : TypedJobTool(evaluate_schema(), services),
      services_(services),
      on_device_(kGpuSharers * std::max<std::size_t>(1, gpus_of(services))) {}

Result<std::optional<Evaluation>> EvaluateTool::answered_before(const EvaluateQuestion& question) {
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const auto row, services_.archive->latest_evidence(question.subject.kernel.id, info.key(),
                                                            kKind, question.key(info.key())));
  if (!row) {
    return std::optional<Evaluation>();
  }
  const Json record = Json::parse(row->json, nullptr, false);
  Evaluation known = record.at("output").get<Evaluation>();
  if (known.correct() && !was_examined(known, services_.admissions->stored(known.problem_id))) {
    return std::optional<Evaluation>();
  }
  WS_TRY(const auto since,
         known_validation(services_, *question.device, question.subject, question.params));
  if (known.correct() && since && since->verdict != Verdict::kPassed) {
    return std::optional<Evaluation>();  // Found wrong since then.
  }
  WS_CHECK(pay_known(services_, question, known));
  known.evidence_id = row->id;
  known.age_s = age_in_s(row->created_ms);
  return std::optional(std::move(known));
}

Result<Evaluation> EvaluateTool::conclude(const EvaluateQuestion& question, Evaluation evaluation) {
  if (evaluation.correct() && evaluation.benchmark && evaluation.benchmark->result.ratio) {
    evaluation.speedup = rounded(evaluation.benchmark->result.ratio->value);
  }
  WS_CHECK(pay_new(services_, question, evaluation));
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(
      evaluation.evidence_id,
      record_evidence(*services_.archive,
                      {.subject = question.subject,
                       .device = info,
                       .kind = kKind,
                       .key = question.key(info.key())},
                      evaluation.verdict, {{"output", evaluation}, {"device", device_form(info)}}));
  return evaluation;
}

Result<Evaluation> EvaluateTool::run(const EvaluateQuestion& question, CallContext& context) {
  const Subject& subject = question.subject;
  Evaluation evaluation;
  evaluation.problem_id = subject.problem.id;
  evaluation.kernel_id = subject.kernel.id;
  evaluation.parent = subject.kernel.parent;
  evaluation.baseline = question.baseline;
  CompileParams compiled;
  compiled.common.device = question.device->id;
  compiled.common.fresh = question.common.fresh;
  compiled.choice = {{"kernel_id", subject.kernel.id}};
  compiled.params = question.params;
  WS_TRY(evaluation.compile, compile_kernel(services_, compiled, kCompileSpan, context));
  evaluation.verdict = evaluation.compile.verdict;
  evaluation.emulated = evaluation.compile.emulated;
  if (evaluation.verdict != Verdict::kCompiled) {
    return conclude(question, std::move(evaluation));
  }
  if (!question.common.fresh) {
    WS_CHECK(compile_checked(*question.device, subject, question.params, context.stop));
  }
  FairSemaphore::Place place;
  if (context.caller.background) {
    WS_TRY(context.shares, is_small(*question.device, subject, question.params, context.stop));
    WS_TRY(place, on_device_.enter(context.stop));
  }
  ValidateParams validated;
  // Where the call names no device, any that is like it may say whether the kernel is right.
  validated.common.device = question.common.device.empty() ? "" : question.device->id;
  validated.common.fresh = question.common.fresh;
  validated.kernel_id = subject.kernel.id;
  validated.question.level = question.level;
  validated.question.params = question.params;
  WS_TRY(evaluation.validation,
         validate_kernel_stored(services_, validated, kValidateSpan, context));
  evaluation.verdict = evaluation.validation->result.verdict;
  if (evaluation.verdict != Verdict::kPassed) {
    return conclude(question, std::move(evaluation));
  }
  if (question.from == RewardFrom::kModel) {
    WS_TRY(evaluation.modelled, model_kernel(services_, question, kBenchmarkSpan, context));
    evaluation.verdict = verdict_of(*evaluation.modelled);
    return conclude(question, std::move(evaluation));
  }
  BenchmarkParams timed;
  timed.common.device = question.device->id;
  timed.common.fresh = question.common.fresh;
  timed.kernel_id = subject.kernel.id;
  timed.baseline = question.baseline;
  timed.params = question.params;
  WS_TRY(evaluation.benchmark, benchmark_kernel(services_, timed, kBenchmarkSpan, context));
  evaluation.verdict = evaluation.benchmark->result.verdict;
  return conclude(question, std::move(evaluation));
}

Result<ToolJob<Evaluation>> EvaluateTool::one_of(const EvaluateParams& params,
                                                 const std::stop_token& stop) {
  ToolJob<Evaluation> job;
  job.start = {.lanes = {kEvaluateLane},
               .tool = spec().name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  if (choice_takes_time(services_, *params.common.asked)) {
    job.work = [this, params](CallContext& own) -> Result<Evaluation> {
      WS_TRY(const EvaluateQuestion question, evaluate_question(services_, params, own.stop));
      return run(question, own);
    };
    return job;
  }
  WS_TRY(const EvaluateQuestion question, evaluate_question(services_, params, stop));
  if (!question.common.fresh) {
    WS_TRY(job.known, answered_before(question));
  }
  job.start.key = question.key(question.device->id);
  job.work = [this, question](CallContext& own) { return run(question, own); };
  return job;
}

Result<ToolJob<BatchEvaluation>> EvaluateTool::batch_of(const EvaluateParams& params) {
  for (const char* field : {"kernel", "kernel_id", "base", "edits", "set"}) {
    if (params.common.asked->contains(field)) {
      return fail(ErrorCode::kInvalidArgument,
                  "give only one of `kernels` and `" + std::string(field) + "`");
    }
  }
  ToolJob<BatchEvaluation> job;
  job.start = {.lanes = {kBatchLane},
               .tool = spec().name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  job.work = [this, params](CallContext& own) -> Result<BatchEvaluation> {
    const EvaluateOne whole = [this](const EvaluateParams& asked, const CallContext& inner) {
      return guarded([&]() -> Result<Evaluation> {
        WS_TRY(ToolJob<Evaluation> one, one_of(asked, inner.stop));
        return result_of_job(services_, std::move(one), {}, inner);
      });
    };
    WS_TRY(std::vector<BatchRow> rows, evaluate_all(*params.kernels, kEvaluations, whole, own));
    return BatchEvaluation{.rows = std::move(rows), .full = params.common.full};
  };
  return job;
}

Result<ToolJob<EvaluateResult>> EvaluateTool::job_of(Services& /*services*/,
                                                     const EvaluateParams& asked,
                                                     const std::stop_token& stop) {
  WS_TRY(const EvaluateParams params, pinned(services_.options.reward_pins.get(), asked));
  if (params.kernels) {
    WS_TRY(ToolJob<BatchEvaluation> batch, batch_of(params));
    return widened(std::move(batch));
  }
  WS_TRY(ToolJob<Evaluation> one, one_of(params, stop));
  return widened(std::move(one));
}

}  // namespace ws
