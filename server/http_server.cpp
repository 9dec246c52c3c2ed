// The only file that includes cpp-httplib (0.11.4).
#include "server/http_server.h"

#include <cerrno>
#include <cstdint>
#include <exception>

#include <httplib.h>

#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "server/growing_pool.h"

namespace ws {
namespace {

constexpr int kBacklog = 1024;            // httplib's 5 drops connections of a burst for a second.
constexpr int kClientReadSeconds = 3600;  // Longer than any wait_ms.
constexpr std::size_t kDrainedPerLimit = 4;  // A body up to 4 limits is read, so that 413 arrives.

/// Connections on threads that come and go; httplib's own pool has a fixed number, and each stream
/// holds one.
class ConnectionQueue : public httplib::TaskQueue {
 public:
  explicit ConnectionQueue(std::size_t max_threads)
      : pool_(std::make_unique<GrowingPool>(GrowingPool::Options{max_threads, kBacklog})) {}

  void enqueue(std::function<void()> task) override {
    if (!pool_->submit(std::move(task))) {
      log(LogLevel::kWarning, "http", "too many connections; one is dropped");
    }
  }

  void shutdown() override { pool_.reset(); }

 private:
  std::unique_ptr<GrowingPool> pool_;
};

HttpHead head_of(const httplib::Request& request) {
  HttpHead head;
  head.method = request.method;
  head.path = request.path;
  head.address = request.remote_addr;
  head.header = [&request](const char* name) -> std::optional<std::string> {
    const auto found = request.headers.find(name);
    return found == request.headers.end() ? std::nullopt
                                          : std::optional(std::string(trimmed(found->second)));
  };
  head.header_count = request.headers.size();
  for (const auto& [name, value] : request.headers) {
    head.header_bytes += name.size() + value.size();
  }
  return head;
}

class Sink : public HttpSink {
 public:
  explicit Sink(httplib::DataSink& sink)
      : sink_(sink) {}

  bool write(std::string_view bytes) override { return sink_.write(bytes.data(), bytes.size()); }

  bool alive() override { return sink_.is_writable(); }

 private:
  httplib::DataSink& sink_;
};

void put(httplib::Response& response, HttpReply reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    response.set_header(name, value);
  }
  if (reply.stream) {
    const auto write = [stream = std::move(reply.stream)](std::size_t /*offset*/,
                                                          httplib::DataSink& data) {
      Sink sink(data);
      stream(sink);
      data.done();
      return true;
    };
    response.set_chunked_content_provider(reply.content_type, write);
  } else if (!reply.body.empty()) {
    response.body = std::move(reply.body);
    response.set_header("Content-Type", reply.content_type);
  }
}

/// Sends `reply` and ends the connection: what is left of the request must not be taken for the
/// next one. httplib does that when a provider fails, so this one fails after its last byte.
void put_and_close(httplib::Response& response, HttpReply reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    response.set_header(name, value);
  }
  response.set_header("Connection", "close");
  const std::size_t size = reply.body.size();
  response.set_content_provider(
      size, reply.content_type,
      [body = std::move(reply.body)](std::size_t offset, std::size_t length,
                                     httplib::DataSink& sink) {
        sink.write(body.data() + offset, length);
        return false;
      });
}

enum class BodyEnd : std::uint8_t { kWhole, kTooLarge, kBroken };

/// Keeps at most `limit` bytes of the body, and reads on for a while when it is longer.
BodyEnd read_body(const httplib::ContentReader& read, std::size_t limit, std::string& body) {
  std::size_t seen = 0;
  const bool whole = read([&](const char* bytes, std::size_t count) {
    seen += count;
    if (seen <= limit) {
      body.append(bytes, count);
    }
    return seen <= limit * kDrainedPerLimit;
  });
  if (seen > limit) {
    return BodyEnd::kTooLarge;
  }
  return whole ? BodyEnd::kWhole : BodyEnd::kBroken;
}

class HttplibServer : public HttpServer {
 public:
  HttplibServer(HttpHandlers handlers, const HttpLimits& limits)
      : handlers_(std::move(handlers)) {
    // Without httplib's SO_REUSEPORT: two servers on one port would share its connections.
    server_.set_socket_options([this](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      socket_ = socket;
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1000000000);
    server_.set_keep_alive_timeout(limits.idle_seconds);
    server_.set_read_timeout(limits.io_seconds);
    server_.set_write_timeout(limits.io_seconds);
    server_.set_payload_max_length(limits.max_body_bytes * kDrainedPerLimit);
    server_.new_task_queue = [max = limits.max_connections] { return new ConnectionQueue(max); };
    set_handlers(limits.max_body_bytes);
  }

  Status bind(const ListenAddress& address) {
    errno = 0;
    port_ = address.port;
    const bool bound = address.port == 0 ? (port_ = server_.bind_to_any_port(address.host)) > 0
                                         : server_.bind_to_port(address.host, address.port);
    if (!bound) {
      const bool in_use = errno == EADDRINUSE;
      return fail_errno("bind",
                        "cannot listen on " + address.host + ":" + std::to_string(address.port),
                        in_use ? "stop the other server or choose another port" : "");
    }
    if (::listen(socket_, kBacklog) != 0) {
      return fail_errno("listen", "cannot listen on port " + std::to_string(port_));
    }
    return {};
  }

  [[nodiscard]] int port() const override { return port_; }

  void run() override { server_.listen_after_bind(); }

  void stop() override {
    ::shutdown(socket_, SHUT_RDWR);  // Ends a `run` that has not begun to accept.
    server_.stop();
  }

 private:
  void set_handlers(std::size_t max_body) {
    using Handled = httplib::Server::HandlerResponse;
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          std::optional<HttpReply> refusal = handlers_.screen(head_of(request));
          if (!refusal) {
            return Handled::Unhandled;
          }
          put_and_close(response, *std::move(refusal));
          return Handled::Handled;
        });
    server_.Post(
        kMcpPath, [this, max_body](const httplib::Request& request, httplib::Response& response,
                                   const httplib::ContentReader& read) {
          std::string body;
          const BodyEnd end = read_body(read, max_body, body);
          if (end == BodyEnd::kWhole) {
            put(response, handlers_.post(head_of(request), std::move(body)));
          } else if (end == BodyEnd::kTooLarge || response.status == handlers_.too_large.status) {
            put_and_close(response, handlers_.too_large);
          } else {
            put_and_close(response, HttpReply{400, "text/plain", {}, "the body ended early\n", {}});
          }
        });
    server_.set_exception_handler([](const httplib::Request& /*request*/,
                                     httplib::Response& response,
                                     const std::exception_ptr& /*error*/) {
      log(LogLevel::kError, "http", "a request ended in an exception");
      response.status = 500;
    });
  }

  HttpHandlers handlers_;
  httplib::Server server_;
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> bind_http(const ListenAddress& address, HttpHandlers handlers,
                                              const HttpLimits& limits) {
  auto server = std::make_unique<HttplibServer>(std::move(handlers), limits);
  WS_CHECK(server->bind(address));
  return server;
}

Result<HttpAnswer> http_post(const std::string& url,
                             const std::vector<std::pair<std::string, std::string>>& headers,
                             const std::string& body) {
  const std::size_t path = url.find('/', std::string("http://").size());
  if (!url.starts_with("http://") || path == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "\"" + url + "\" is not a server's URL",
                "such as http://127.0.0.1:7411/mcp");
  }
  httplib::Client client(url.substr(0, path));
  client.set_read_timeout(kClientReadSeconds);
  httplib::Headers sent(headers.begin(), headers.end());
  const httplib::Result answer = client.Post(url.substr(path), sent, body, "application/json");
  if (!answer) {
    return fail(ErrorCode::kIo, "no answer from " + url,
                "start it with: warpsmith serve --http HOST:PORT",
                httplib::to_string(answer.error()));
  }
  return HttpAnswer{answer->status, answer->body};
}

}  // namespace ws
