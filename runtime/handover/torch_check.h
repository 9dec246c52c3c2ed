// The test of an extension of PyTorch: the operator beside the problem's reference.
#pragma once

#include <string>

#include "runtime/handover/handover.h"

namespace ws {

/// The text of test_<module>.py, for the workload of the hand-over.
/// @errors kInvalidArgument: the plan fails.
Result<std::string> torch_check(const Handover& handover, const std::string& module);

}  // namespace ws
