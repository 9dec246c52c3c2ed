// The stage of an evaluation that models the kernel's speed in place of timing it.
#pragma once

#include <string>

#include "runtime/evaluate/modelled/modelled_speed.h"
#include "tools/answer/typed_job.h"
#include "tools/evaluate/question.h"

namespace ws {

/// {value, low, high, error_factor}, or {unknown}.
void to_json(Json& form, const ModelledSpeedup& speedup);

/// Reads that form. Throws nlohmann's exception if the form is another one.
void from_json(const Json& form, ModelledSpeedup& speedup);

/// kFaster and kSlower where the whole interval is on one side of 1; else kInconclusive.
Verdict verdict_of(const ModelledSpeedup& speedup);

/// Counts kernel and baseline in a job of the question's device.
/// @errors Those of choose_baseline, check_baseline and model_speed; kBusy; kCancelled.
Result<ModelledSpeedup> model_kernel(Services& services, const EvaluateQuestion& question,
                                     StageSpan span, const CallContext& context);

}  // namespace ws
