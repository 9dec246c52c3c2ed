// The C++ of an extension for PyTorch.
#pragma once

#include <string>

#include "runtime/handover/handover.h"

namespace ws {

/// binding.cpp: the operator `run`, and `reference` where the problem's reference is a kernel, each
/// for CUDA, for tensors without elements and for autograd, which refuses to go backward. Inputs
/// come in the problem's order, then scalars, then dims that no input's shape tells.
/// @errors kInvalidArgument: an expression fails.
Result<std::string> torch_binding(const Handover& handover);

}  // namespace ws
