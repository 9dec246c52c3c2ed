#include "tools/typed_tool.h"

#include <exception>
#include <string>
#include <utility>

namespace ws {

ToolSpec parse_spec(std::string_view schema_text) {
  ToolSpec spec;
  spec.json = Json::parse(schema_text, nullptr, false);
  if (spec.json.is_object() && spec.json.contains("name") && spec.json["name"].is_string()) {
    spec.name = spec.json["name"].get<std::string>();
  }
  return spec;
}

Result<Json> guarded(const std::function<Result<Json>()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, "the tool failed on a value it did not expect", {},
                error.what());
  }
}

}  // namespace ws
