#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

#include "runtime/base/files.h"
#include "server/cli/app.h"
#include "server/cli/commands.h"
#include "server/cli/http_client.h"
#include "server/cli/tool_answer.h"
#include "server/protocol/message.h"

namespace ws::server {
namespace {

int complain(int status, std::string text) {
  text.push_back('\n');
  std::fputs(text.c_str(), stderr);
  return status;
}

Result<std::string> argument_text(const std::string& argument) {
  if (argument == "-") {
    return read_file("/dev/stdin", kMaxBodyBytes);
  }
  return argument.starts_with("@") ? read_file(argument.substr(1), kMaxBodyBytes)
                                   : Result<std::string>(argument);
}

Result<std::string> answer_of(const CallOptions& options, const std::string& request) {
  if (!options.server_url.empty()) {
    WS_TRY(const std::optional<BearerToken> token, find_token(options.token));
    std::vector<std::pair<std::string, std::string>> headers = {
        {"MCP-Protocol-Version", std::string(name_of(kModern))},
        {"Mcp-Method", "tools/call"},
        {"Mcp-Name", options.tool}};
    if (token) {
      headers.emplace_back("Authorization", token->header());
    }
    WS_TRY(const ServerUrl url, parse_server_url(options.server_url));
    WS_TRY(const HttpAnswer answer, http_post(url, headers, request, options.trust));
    return answer.body;
  }
  WS_TRY(const auto app, App::open(options.services));
  return app->server().handle(request, RequestContext{}).body;
}

int print_answer(const std::string& text) {
  const ToolAnswer answer = read_tool_answer(text);
  if (answer.status != kExitOk) {
    return complain(answer.status, answer.text);
  }
  std::fputs((to_line(answer.content) + "\n").c_str(), stdout);
  return kExitOk;
}

}  // namespace

int call_command(const CallOptions& options) {
  const Result<std::string> text = argument_text(options.arguments);
  if (!text) {
    return complain(kExitUsage, to_text(text.error()));
  }
  RpcResult<Json> arguments = parse_json(*text);
  if (!arguments || !arguments->is_object()) {
    return complain(kExitUsage, arguments ? "the arguments must be a JSON object"
                                          : "the arguments: " + arguments.error().message);
  }
  const Json request = tool_request(options.tool, *std::move(arguments));
  const Result<std::string> answer = answer_of(options, to_line(request));
  return answer ? print_answer(*answer) : complain(kExitFailed, to_text(answer.error()));
}

}  // namespace ws::server
