// References that run a PyTorch module (docs/pytorch.md).
#pragma once

#include "runtime/kernel/problem.h"

namespace ws {

/// Whether the problem's reference is a Python program with make_module(), load_module(model,
/// tensors) and call_module(model, tensors), as an import of a module writes it. The problem's
/// `flops` and `bytes` are then those of the module.
bool has_module(const Problem& problem);

}  // namespace ws
