// An HTTP/1.1 server. One thread reads and writes all connections; a request that takes its time
// holds no thread. Knows no MCP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/base/result.h"
#include "server/transport/http_checks.h"
#include "server/transport/http_head.h"
#include "server/transport/http_reply.h"
#include "server/transport/socket_place.h"
#include "server/transport/tls_context.h"

namespace ws::server {

/// Where the answer to one request goes. Any thread; what comes after the end is dropped.
class HttpResponder {
 public:
  virtual ~HttpResponder() = default;
  /// The whole answer.
  virtual void reply(HttpReply reply) = 0;
  /// In place of it: the head of an answer that comes in parts. Comes before them.
  virtual void begin(HttpReply head) = 0;
  /// A part that may be lost when the client does not read.
  virtual void send(std::string part) = 0;
  /// The last part.
  virtual void finish(std::string part) = 0;
};

struct HttpRequest {
  HttpHead head;
  std::string body;
};

/// All are called by the server's thread, and must not block.
struct HttpHandlers {
  /// Sees each request before its body. An answer ends the connection, where the body stays unread.
  /// Notes who sends it.
  std::function<std::optional<HttpReply>(HttpHead&)> screen;
  /// A request that passed, whole.
  ///
  /// @return  Called when the client has gone before it had its answer; may be empty.
  std::function<std::function<void()>(HttpRequest, std::shared_ptr<HttpResponder>)> serve;
  /// The answer to a request that is malformed, too long, too slow or one too many. It is not sent
  /// where the client and the server have no common TLS.
  std::function<HttpReply(const std::string& address, int status, const std::string& message)>
      refuse;
  std::string keep_alive_part;  ///< Sent in an answer in parts that stays silent.
};

struct HttpLimits {
  std::size_t max_body_bytes = std::size_t{16} << 20U;  ///< Over it: 413.
  std::size_t max_connections = 4096;  ///< Fewer where the process may have few descriptors.
  std::size_t max_per_address = 1024;
  int head_seconds = 10;  ///< For a whole head, from its first byte.
  int body_seconds = 60;  ///< For a whole body.
  int idle_seconds = 15;  ///< How long a connection is kept for its next request.
  int io_seconds = 10;    ///< How long a client may read nothing of its answer.
};

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  /// The port that was bound; 0: none.
  [[nodiscard]] virtual int port() const = 0;
  /// Serves until `stop`, then sends the answers that come within five seconds.
  virtual void run() = 0;
  /// Any thread, more than once.
  virtual void stop() = 0;
  /// As HttpTransport::beat().
  [[nodiscard]] virtual std::uint64_t beat() = 0;
};

/// The places that a server listens at: an address, a Unix socket, or both.
struct HttpPlaces {
  std::optional<ListenAddress> address{};
  std::string socket{};  ///< The path of a Unix socket; empty: none.
  SocketUsers socket_users = SocketUsers::kOwn;
  std::shared_ptr<const TlsContext> tls{};  ///< The address speaks TLS; null: it does not. The
                                            ///< socket never does.
};

/// @errors kIo: the port is in use, or cannot be bound; as SocketPlace::listen().
Result<std::unique_ptr<HttpServer>> bind_http(const HttpPlaces& places, HttpHandlers handlers,
                                              const HttpLimits& limits = {});

}  // namespace ws::server
