// The names of element types in PyTorch.
#pragma once

#include <string_view>

#include "runtime/kernel/dtype.h"

namespace ws {

/// "float32": a member of the module torch.
std::string_view torch_type(DType type);

/// "at::kFloat".
std::string_view torch_scalar(DType type);

}  // namespace ws
