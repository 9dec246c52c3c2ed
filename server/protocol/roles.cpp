// The roles that requests need.
#include "server/protocol/methods.h"
#include "tools/sometimes_reads.h"

namespace ws::server {

/// A tool that runs programs needs more than `read`, though it changes nothing.
Role role_for(const Tool& tool, const Json& arguments) {
  if (const auto* reads = dynamic_cast<const SometimesReads*>(&tool)) {
    return reads->only_reads(arguments) ? Role::kRead : Role::kUse;
  }
  const auto annotations = tool.spec().json.find("annotations");
  const bool reads =
      annotations != tool.spec().json.end() && annotations->value("readOnlyHint", false);
  return reads && dynamic_cast<const MakesJobs*>(&tool) == nullptr ? Role::kRead : Role::kUse;
}

RpcResult<void> McpServer::check_role(const Method& method, const Call& call) const {
  static constexpr int kForbidden = 403;
  const Principal& who = *call.context.principal;
  Role needed = method.least;
  std::string what = call.message.method;
  // A call that names no tool gets its own error.
  if (method.handler == &McpServer::call_tool) {
    if (const RpcResult<ToolCall> tool = tool_of(call)) {
      needed = role_for(*tool->entry->tool, *tool->arguments);
      what = tool->entry->tool->spec().name;
    }
  }
  if (who.may(needed)) {
    return {};
  }
  return rpc_fail(rpc::kInvalidRequest, refused_role(what, needed, who), kForbidden);
}

}  // namespace ws::server
