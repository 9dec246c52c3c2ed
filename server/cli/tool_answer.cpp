#include "server/cli/tool_answer.h"

#include <utility>

#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {

Json tool_request(const std::string& tool, Json arguments) {
  const Json envelope = {{meta::kVersion, name_of(kModern)}, {meta::kCapabilities, Json::object()}};
  return {{"jsonrpc", "2.0"},
          {"id", 1},
          {"method", "tools/call"},
          {"params", {{"name", tool}, {"arguments", std::move(arguments)}, {"_meta", envelope}}}};
}

ToolAnswer read_tool_answer(const std::string& text) {
  const Json answer = Json::parse(text, nullptr, false);
  if (answer.is_object() && answer.contains("error")) {
    return {kExitUsage, answer["error"].value("message", "the call was refused"), {}};
  }
  const Json result = answer.is_object() ? answer.value("result", Json()) : Json();
  if (!result.is_object() || !result.contains("content")) {
    return {kExitFailed, "the server's answer is not an MCP message", {}};
  }
  if (result.value("isError", false)) {
    return {kExitFailed, result["content"].at(0).value("text", "the tool failed"), {}};
  }
  return {kExitOk, {}, result.value("structuredContent", Json())};
}

}  // namespace ws::server
