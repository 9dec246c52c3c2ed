// The device source of a stored kernel.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// Its macros, then its source, as they are compiled; of what is no kernel's form, nothing.
std::string kernel_source(std::string_view kernel_json);

}  // namespace ws
