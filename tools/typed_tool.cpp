#include "tools/typed_tool.h"

#include <string>

namespace ws {

ToolSpec parse_spec(std::string_view schema_text) {
  ToolSpec spec;
  spec.json = Json::parse(schema_text, nullptr, false);
  if (spec.json.is_object() && spec.json.contains("name") && spec.json["name"].is_string()) {
    spec.name = spec.json["name"].get<std::string>();
  }
  return spec;
}

}  // namespace ws
