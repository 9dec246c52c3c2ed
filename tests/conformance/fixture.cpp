#include "tests/conformance/fixture.h"

#include <memory>
#include <utility>

namespace ws::conformance {
namespace {

class RowTool : public server::ContentTool {
 public:
  RowTool(ToolSpec spec, ToolBody body)
      : ContentTool(std::move(spec)),
        body_(std::move(body)) {}

  server::RpcResult<server::ContentAnswer> answer(const Json& arguments,
                                                  const server::Inputs& inputs,
                                                  const server::ContentContext& context) override {
    return body_(arguments, inputs, context);
  }

 private:
  ToolBody body_;
};

}  // namespace

void add_tool(ToolRegistry& registry, const ToolRow& row) {
  Json input = Json::parse(row.schema);
  input["type"] = "object";
  ToolSpec spec{.name = row.name,
                .json = {{"name", row.name},
                         {"description", row.description},
                         {"inputSchema", std::move(input)},
                         {"outputSchema", Json::object()}}};
  registry.add(std::make_unique<RowTool>(std::move(spec), row.body));
}

Json elicit(const std::string& message, const Json& schema) {
  return {{"method", "elicitation/create"},
          {"params", {{"message", message}, {"requestedSchema", schema}, {"mode", "form"}}}};
}

Json small_form(const std::string& message, const std::string& field, const std::string& type) {
  const Json properties = {{field, {{"type", type}}}};
  return elicit(
      message,
      {{"type", "object"}, {"properties", properties}, {"required", Json::array({field})}});
}

Json text_block(const std::string& text) {
  return {{"type", "text"}, {"text", text}};
}

Json resource_block(const std::string& uri, const std::string& mime_type, const std::string& text) {
  return {{"type", "resource"},
          {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}};
}

server::ContentAnswer text_answer(const std::string& text) {
  return server::Content{.blocks = Json::array({text_block(text)})};
}

}  // namespace ws::conformance
