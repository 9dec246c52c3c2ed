// Evaluations that count as one: of a kernel and of its twins, texts that differ only in comments,
// white space and names of variables. The least of them is paid, so that trying again cannot help.
#pragma once

#include "tools/evaluate/question.h"

namespace ws {

/// The speed-up of an evaluation whose time was suspect: less than any other.
inline constexpr double kUntrusted = -1;

/// Adds an evaluation that was timed to the series of its problem, device, baseline and parameters;
/// then sets the reward, or why there is none, and what the reward stands on.
/// @errors kInvalidArgument: the kernel does not have the parameters; kIo.
Status pay_new(const Services& services, const EvaluateQuestion& question, Evaluation& evaluation);

/// The same for an evaluation of the archive, by its series as it is now. One that is older than
/// series are is added to its own. @errors as pay_new.
Status pay_known(const Services& services, const EvaluateQuestion& question,
                 Evaluation& evaluation);

}  // namespace ws
