// The C++ side of an extension of PyTorch: the operator's schema, checks and registrations.
#pragma once

#include <string>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// The text of binding.cpp. @param module  The name of the extension and of the operators' space.
/// @errors kUnsupported: no argument is a tensor that is given.
Result<std::string> torch_binding(const Handover& handover, const std::string& module);

}  // namespace ws
