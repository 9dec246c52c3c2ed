// The device source of a stored kernel.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace ws {

/// Its macros, then its source, as they are compiled; of what is no kernel's form, nothing.
std::string kernel_source(std::string_view kernel_json);
/// The same of a form that is read already.
std::string kernel_source_of(const nlohmann::json& form);

}  // namespace ws
