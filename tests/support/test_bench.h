// A whole server without sockets: test tools, one resource, the real protocol core.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/protocol/mcp_server.h"
#include "tools/registry.h"

namespace ws {

class TestBench {
 public:
  TestBench();

  /// Sends one message as on a stdio connection, and runs it to its end.
  server::Reply send(const std::string& text);

  /// Sends one message as over HTTP.
  server::Reply send_http(const std::string& text, const server::McpHeaders& headers);

  /// tools/call in the modern lane: the whole result. REQUIREs that it is not a protocol error.
  Json call(const std::string& tool, const Json& arguments);

  [[nodiscard]] const server::McpServer& server() const { return *server_; }

  /// Notifications of all messages so far.
  std::vector<std::string> notified;
  server::StdioConnection connection;

 private:
  ToolRegistry registry_;
  std::unique_ptr<ResourceReader> resources_;
  std::unique_ptr<server::McpServer> server_;
};

/// The `_meta` member of a modern request, without braces around it.
std::string modern_meta();

/// A modern tools/call as one line.
std::string call_line(const Json& id, const std::string& tool, const Json& arguments,
                      const Json& progress_token = nullptr);

}  // namespace ws
