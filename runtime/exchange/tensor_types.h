// The names of element types in FlashInfer-Bench, which are PyTorch's.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/kernel/dtype.h"

namespace ws {

/// @param path  For the message. @errors kUnsupported: no type here corresponds to it.
Result<DType> type_of_tensor(std::string_view word, const std::string& path);

/// "float32". @errors kUnsupported: a definition has no such type.
Result<std::string> tensor_word(DType type, const std::string& path);

}  // namespace ws
