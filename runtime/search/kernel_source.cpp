#include "runtime/search/kernel_source.h"

#include <nlohmann/json.hpp>

namespace ws {

std::string kernel_source(std::string_view kernel_json) {
  return kernel_source_of(nlohmann::json::parse(kernel_json, nullptr, false));
}

std::string kernel_source_of(const nlohmann::json& form) {
  std::string source;
  for (const char* field : {"macros", "source"}) {
    if (form.is_object() && form.contains(field) && form[field].is_string()) {
      source += form[field].get<std::string>();
    }
  }
  return source;
}

}  // namespace ws
