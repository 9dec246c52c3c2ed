// The results that stand beside a kernel in files of other programs.
#pragma once

#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/validation.h"
#include "runtime/handover/handover.h"
#include "runtime/session/services.h"

namespace ws {

/// The newest benchmark of the kernel with these parameters: the workloads that passed in the
/// validation too, with the largest errors there. Empty: there is none.
/// @errors kIo.
Result<HandoverTimings> timings_of(Services& services, const Subject& subject, const Params& params,
                                   const ValidationResult& validation);

/// The longest tuning of the kernel, on any device. Empty: it was never tuned.
/// @errors kIo.
Result<HandoverTuning> tuning_of(Services& services, const Subject& subject);

}  // namespace ws
