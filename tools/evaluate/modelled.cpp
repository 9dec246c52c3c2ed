#include "tools/evaluate/modelled.h"

#include "runtime/base/hash.h"
#include "runtime/base/numbers.h"
#include "runtime/base/retry.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/checked_baseline.h"

namespace ws {
namespace {

Result<ModelledSpeedup> modelled(Services& services, const EvaluateQuestion& question,
                                 const CallContext& context) {
  const Subject& subject = question.subject;
  ModelledSpeedRequest request;
  WS_TRY(request.params, requested_params(subject.kernel, {{"params", question.params}}));
  WS_TRY(request.baseline, choose_baseline(*services.archive, subject, question.baseline));
  WS_TRY(const DeviceInfo device, question.device->backend->info());
  WS_CHECK(check_outside(services, device, request.baseline));
  request.secret = random_u64();
  WS_CHECK(check_baseline(services, *question.device, subject, request.baseline, context));
  context.report(0.2, "counting what the kernel and its baseline do");
  return retry_when_lost(
      [&] { return model_speed(*question.device->backend, subject, request, context); });
}

}  // namespace

void to_json(Json& form, const ModelledSpeedup& speedup) {
  if (!speedup.unknown.empty()) {
    form = {{"unknown", speedup.unknown}};
    return;
  }
  form = {{"value", rounded(speedup.value)},
          {"low", rounded(speedup.low)},
          {"high", rounded(speedup.high)},
          {"error_factor", kModelError}};
}

void from_json(const Json& form, ModelledSpeedup& speedup) {
  speedup.unknown = form.value("unknown", "");
  speedup.value = form.value("value", 1.0);
  speedup.low = form.value("low", 1.0);
  speedup.high = form.value("high", 1.0);
}

Verdict verdict_of(const ModelledSpeedup& speedup) {
  if (!speedup.unknown.empty() || (speedup.low <= 1 && speedup.high >= 1)) {
    return Verdict::kInconclusive;
  }
  return speedup.low > 1 ? Verdict::kFaster : Verdict::kSlower;
}

/// The answer of the job that models a kernel's speed.
Answer answer_of(const ModelledSpeedup& speedup) {
  return {.summary = "modelled", .body = speedup, .next_steps = {}};
}

Result<ModelledSpeedup> model_kernel(Services& services, const EvaluateQuestion& question,
                                     StageSpan span, const CallContext& context) {
  ToolJob<ModelledSpeedup> job;
  job.start = {.lanes = {question.device->id},
               .tool = "evaluate",
               .key = "model " + question.key(question.device->id),
               .common = question.common};
  job.work = [&services, question](CallContext& own) { return modelled(services, question, own); };
  return result_of_job(services, std::move(job), span, context);
}

}  // namespace ws
