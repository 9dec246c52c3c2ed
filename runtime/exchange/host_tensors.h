// Calls and members of tensors in host code, of PyTorch and of TVM's FFI.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/exchange/host_values.h"

namespace ws {

/// "torch::kFloat32", "at::kInt": the type that options get by this word.
std::optional<DType> type_of_torch_word(std::string_view word);

/// "float", "unsigned int", "const __half": a type of device code as an element type.
std::optional<DType> type_of_cpp(std::string_view text);

/// A call such as `torch::empty_like(x)`; what it makes is added to the scope. Nothing: no such
/// call. @errors kUnsupported: memory whose shape or place is not said.
Result<std::optional<HostValue>> tensor_call(const std::string& name,
                                             const std::vector<HostValue>& given, HostScope& scope);

/// A member such as `.size(0)`, an item by `[]`, or a part `.x` of a grid. Nothing: no such member.
/// @errors kUnsupported: an expression that is too long.
Result<std::optional<HostValue>> member_of(const HostValue& value, const std::string& name,
                                           const std::vector<HostValue>& given,
                                           const HostScope& scope);

}  // namespace ws
