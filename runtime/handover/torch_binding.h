// The C++ side of an extension of PyTorch: the operator's schema, checks and registrations.
#pragma once

#include <string>
#include <vector>

#include "runtime/handover/handover.h"

namespace ws {

/// The text of binding.cpp. @param module  The name of the extension and of the operators' space.
/// @errors kUnsupported: no argument is a tensor that is given.
Result<std::string> torch_binding(const Handover& handover, const std::string& module);

/// A function of C++ that Python calls, for programs that build their modules themselves: the same
/// checks, then the kernel. Its parameters are the problem's inputs and numbers in their order; it
/// gives the outputs. Stands behind the header with the arguments (pytorch_form.cpp).
/// @errors kUnsupported: as above, or a dim is no extent of an argument.
Result<std::string> torch_function(const Handover& handover, const std::string& name);

/// Its declaration: "at::Tensor run(const at::Tensor& p_x);".
std::string torch_declaration(const Handover& handover, const std::string& name);

}  // namespace ws
