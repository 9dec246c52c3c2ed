// MCP over Streamable HTTP: POST /mcp with one request each, answered as JSON or as an event
// stream. GET /health is for monitoring.
#pragma once

#include <memory>
#include <optional>

#include "runtime/base/result.h"
#include "server/protocol/mcp_server.h"
#include "server/transport/http_server.h"

namespace ws::server {

class HttpTransport {
 public:
  /// Binds the port. `server` must outlive the transport. @errors As bind_http.
  static Result<std::unique_ptr<HttpTransport>> open(
      const McpServer& server, const ListenAddress& address,
      std::optional<BearerToken> token = std::nullopt, HttpLimits limits = {});

  [[nodiscard]] int port() const { return http_->port(); }

  /// Serves until `stop_fd` becomes readable; requests in progress are then told to stop.
  ///
  /// @return  False: some request did not stop within five seconds. Its thread still runs, so the
  ///          caller must leave without destroying what it uses.
  [[nodiscard]] bool run(int stop_fd);

 private:
  struct State;

  explicit HttpTransport(const McpServer& server);

  static std::function<void()> serve(const std::shared_ptr<State>& state, HttpRequest request,
                                     std::shared_ptr<HttpResponder> responder);

  std::shared_ptr<State> state_;  // shared with requests that did not stop
  std::unique_ptr<HttpServer> http_;
};

}  // namespace ws::server
