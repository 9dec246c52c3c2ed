#include <chrono>
#include <condition_variable>
#include <mutex>

#include "tests/conformance/fixture.h"
#include "tests/conformance/fixture_tools.h"

namespace ws::conformance {
namespace {

using server::Content;
using server::ContentAnswer;
using server::ContentContext;
using server::Inputs;
using server::RpcResult;
using server::Severity;

void pause(const ContentContext& context) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, context.stop, std::chrono::milliseconds(50), [] { return false; });
}

Json image_block() {
  return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}};
}

RpcResult<ContentAnswer> simple_text(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                     const ContentContext& /*context*/) {
  return text_answer("This is a simple text response for testing.");
}

RpcResult<ContentAnswer> image(const Json& /*arguments*/, const Inputs& /*inputs*/,
                               const ContentContext& /*context*/) {
  return Content{.blocks = Json::array({image_block()})};
}

RpcResult<ContentAnswer> audio(const Json& /*arguments*/, const Inputs& /*inputs*/,
                               const ContentContext& /*context*/) {
  const Json block = {{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}};
  return Content{.blocks = Json::array({block})};
}

RpcResult<ContentAnswer> embedded(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                  const ContentContext& /*context*/) {
  return Content{.blocks = Json::array({resource_block("test://embedded-resource", "text/plain",
                                                       "This is an embedded resource content.")})};
}

RpcResult<ContentAnswer> several(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                 const ContentContext& /*context*/) {
  return Content{
      .blocks = Json::array({text_block("Multiple content types test:"), image_block(),
                             resource_block("test://mixed-content-resource", "application/json",
                                            R"({"test":"data","value":123})")})};
}

RpcResult<ContentAnswer> error(const Json& /*arguments*/, const Inputs& /*inputs*/,
                               const ContentContext& /*context*/) {
  return Content{
      .blocks = Json::array({text_block("This tool intentionally returns an error for testing")}),
      .is_error = true};
}

RpcResult<ContentAnswer> with_logging(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                      const ContentContext& context) {
  context.log(Severity::kInfo, "Tool execution started");
  pause(context);
  context.log(Severity::kInfo, "Tool processing data");
  pause(context);
  context.log(Severity::kInfo, "Tool execution completed");
  return text_answer("Three messages were logged.");
}

RpcResult<ContentAnswer> with_progress(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                       const ContentContext& context) {
  constexpr double kAll = 100;
  for (const double done : {0.0, kAll / 2, kAll}) {
    if (context.progress) {
      context.progress(done, kAll);
    }
    pause(context);
  }
  return text_answer("All of 100 steps are done.");
}

/// Its client may lose the stream meanwhile, and take it up again.
RpcResult<ContentAnswer> reconnection(const Json& /*arguments*/, const Inputs& /*inputs*/,
                                      const ContentContext& context) {
  pause(context);
  return text_answer("The stream was there to the end.");
}

RpcResult<ContentAnswer> accept_all(const Json& arguments, const Inputs& /*inputs*/,
                                    const ContentContext& /*context*/) {
  return text_answer("The arguments were " + server::to_line(arguments));
}

constexpr const char* kManyKeywords = R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {
        "street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false})";

constexpr const char* kMirrored = R"({"properties": {
    "region": {"type": "string", "description": "Repeated in a header", "x-mcp-header": "Region"},
    "level": {"type": "integer", "description": "Not repeated"}}})";

const ToolRow kContentRows[] = {
    {"json_schema_2020_12_tool", "Has many keywords in its schema", kManyKeywords, accept_all},
    {"test_audio_content", "Answers with audio", "{}", audio},
    {"test_embedded_resource", "Answers with a resource", "{}", embedded},
    {"test_error_handling", "Answers with an error", "{}", error},
    {"test_image_content", "Answers with an image", "{}", image},
    {"test_logging_tool", "Logs three messages", "{}", with_logging},
    {"test_multiple_content_types", "Answers with three kinds of content", "{}", several},
    {"test_reconnection", "Answers in a stream that can be taken up again", "{}", reconnection},
    {"test_simple_text", "Answers with text", "{}", simple_text},
    {"test_tool_with_logging", "Logs three messages", "{}", with_logging},
    {"test_tool_with_progress", "Reports its progress", "{}", with_progress},
    {"test_x_mcp_header", "Has an argument that a header repeats", kMirrored, accept_all},
};

}  // namespace

void add_content_tools(ToolRegistry& registry) {
  for (const ToolRow& row : kContentRows) {
    add_tool(registry, row);
  }
}

void add_changing_tools(ToolRegistry& registry, const server::McpServer* const* server) {
  add_tool(registry, {"test_trigger_prompt_change", "Says that the prompts have changed", "{}",
                      [server](const auto&, const auto&, const auto&) {
                        (*server)->prompts_changed();
                        return text_answer("The prompts have changed.");
                      }});
  add_tool(registry, {"test_trigger_tool_change", "Says that the tools have changed", "{}",
                      [server](const auto&, const auto&, const auto&) {
                        (*server)->tools_changed();
                        return text_answer("The tools have changed.");
                      }});
}

}  // namespace ws::conformance
