// The arguments of an evaluation where the server has set some of them.
#pragma once

#include "runtime/session/reward_pins.h"
#include "tools/evaluate/evaluation.h"

namespace ws {

/// The arguments with the server's terms in place of what they leave out.
/// @param pins  Null: the server sets none.
/// @errors kInvalidArgument: an argument differs from the server's; the text names the option.
Result<EvaluateParams> pinned(const RewardPins* pins, EvaluateParams params);

}  // namespace ws
