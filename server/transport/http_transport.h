// MCP over Streamable HTTP: POST /mcp with one request each, answered as JSON or as an event
// stream. Pages for operators are beside it: operator_pages.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/base/result.h"
#include "server/protocol/mcp_server.h"
#include "server/transport/http_server.h"
#include "server/transport/operator_pages.h"

namespace ws::server {

struct HttpOptions {
  /// Lets requests in, but for /health and /ready. Null: everybody is local_principal().
  std::shared_ptr<Gate> gate{};
  HttpLimits limits{};
  OperatorPages pages{};                                ///< Their parts must outlive the transport.
  bool metrics_open = false;                            ///< /metrics needs no token.
  std::shared_ptr<const ProtectedResource> resource{};  ///< As HttpAccess has it.
};

class HttpTransport {
 public:
  /// Binds the port, the socket or both. `server` must outlive the transport. @errors As bind_http.
  static Result<std::unique_ptr<HttpTransport>> open(const McpServer& server,
                                                     const HttpPlaces& places,
                                                     HttpOptions options = {});

  [[nodiscard]] int port() const { return http_->port(); }

  /// How often the thread that serves all connections has gone round; asks it to do so again. Any
  /// thread: one that is well has gone on a moment later.
  [[nodiscard]] std::uint64_t beat() const { return http_->beat(); }

  /// Serves until `stop_fd` becomes readable; requests in progress are then told to stop.
  ///
  /// @return  False: some request did not stop within five seconds. Its thread still runs, so the
  ///          caller must leave without destroying what it uses.
  [[nodiscard]] bool run(int stop_fd);

 private:
  struct State;

  HttpTransport(const McpServer& server, OperatorPages pages);

  static std::function<void()> serve(const std::shared_ptr<State>& state, HttpRequest request,
                                     std::shared_ptr<HttpResponder> responder);

  std::shared_ptr<State> state_;  // shared with requests that did not stop
  std::unique_ptr<HttpServer> http_;
};

}  // namespace ws::server
