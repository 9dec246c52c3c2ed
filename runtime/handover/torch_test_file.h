// The test of an extension for PyTorch.
#pragma once

#include <string>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// test_kernel.py, and reference.py where the problem's reference is a Python program. The test
/// compares each output with the module, with the program, or with the problem's own kernel.
/// @errors kUnsupported: a reference of another kind; kInvalidArgument: an expression fails.
Result<std::vector<HandedFile>> torch_test_files(const Handover& handover);

}  // namespace ws
