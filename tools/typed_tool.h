// The common part of tools: the spec from the embedded schema, and JSON in and out of plain
// structs.
#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "tools/tool.h"

namespace ws {

/// The spec in an embedded tools/<name>/schema.json: {name, title, description, inputSchema, ...}.
/// A text that is not such an object gives an empty name, which the registry refuses.
ToolSpec parse_spec(std::string_view schema_text);

/// Runs `body`, which gives a Result; what nlohmann or the standard library throws in it becomes
/// kInternal.
template <typename Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, "the tool failed on an unexpected value", {}, error.what());
  }
}

/// A tool as a function of plain structs. `Params` has a from_json and `Output` a to_json.
template <typename Params, typename Output>
class TypedTool : public Tool {
 public:
  explicit TypedTool(std::string_view schema_text)
      : spec_(parse_spec(schema_text)) {}

  [[nodiscard]] const ToolSpec& spec() const final { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) final {
    return guarded([&]() -> Result<Json> {
      const auto params = arguments.get<Params>();
      WS_TRY(Output output, run(params, context));
      return Json(std::move(output));
    });
  }

 protected:
  /// The tool's story. Any request thread.
  virtual Result<Output> run(const Params& params, CallContext& context) = 0;

 private:
  ToolSpec spec_;
};

}  // namespace ws
