// HTTP/1.1 on loopback, with cpp-httplib kept out of sight. Knows no MCP.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "server/http_checks.h"

namespace ws {

/// The open response of one request. Used by the connection's thread only.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// False: the client is gone.
  virtual bool write(std::string_view bytes) = 0;
  /// False: the client has closed the connection, or the server is stopping.
  [[nodiscard]] virtual bool alive() = 0;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// When set, writes the body in chunks instead of `body`, on the connection's thread, and
  /// returns when it is complete or the client is gone.
  std::function<void(HttpSink&)> stream;
};

struct HttpHandlers {
  /// Sees each request before its body; a refusal ends the connection, as its body stays unread.
  std::function<std::optional<HttpReply>(const HttpHead&)> screen;
  /// A POST that passed. `body` is whole.
  std::function<HttpReply(const HttpHead&, std::string body)> post;
  /// For a body over the limit.
  HttpReply too_large;
};

struct HttpLimits {
  std::size_t max_body_bytes = std::size_t{16} << 20U;  ///< Over it: 413.
  std::size_t max_connections = 512;                    ///< More wait for one to end.
  int idle_seconds = 15;  ///< How long a connection is kept for its next request.
  int io_seconds = 10;    ///< How long one read or write may take.
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  /// The port that was bound.
  [[nodiscard]] virtual int port() const = 0;
  /// Serves until `stop`, then waits for the connections to end.
  virtual void run() = 0;
  /// Any thread, more than once.
  virtual void stop() = 0;
};

/// @errors kIo: the port is in use, or cannot be bound.
Result<std::unique_ptr<HttpServer>> bind_http(const ListenAddress& address, HttpHandlers handlers,
                                              const HttpLimits& limits = {});

/// What a server answered.
struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// One POST of JSON, for the command line. `url` is http://HOST:PORT/PATH.
///
/// @errors kInvalidArgument: not such a URL. kIo: no answer.
Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body);

}  // namespace ws
