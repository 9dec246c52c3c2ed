// Words by which code of the host is told from code of the device.
#pragma once

#include <string_view>

#include "runtime/exchange/cpp_text.h"

namespace ws {

/// Whether device code has no use for a header: "torch/extension.h", "vector".
bool is_host_header(std::string_view name);

bool has_word(Tokens tokens, std::string_view word);

/// Whether the tokens speak of tensors, streams or launches.
bool is_host_code(Tokens tokens);

}  // namespace ws
