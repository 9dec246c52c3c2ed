#include "server/http_transport.h"

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <poll.h>

#include "server/http_call.h"
#include "server/message.h"

namespace ws {
namespace {

// A reply that takes longer is sent in chunks, which show whether the client still listens.
constexpr auto kPlainWait = std::chrono::milliseconds(100);
constexpr auto kGraceAfterStop = std::chrono::seconds(5);
constexpr int kUnavailable = 503;

HttpReply json_reply(int status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

HttpReply refuse(int status, int code, const std::string& message) {
  return json_reply(status, error_line(nullptr, {code, message, nullptr}));
}

std::optional<HttpReply> screen(const HttpHead& head) {
  const std::optional<HttpRefusal> refusal = screen_request(head);
  if (!refusal) {
    return {};
  }
  HttpReply reply = refuse(refusal->status, rpc::kInvalidRequest, refusal->message);
  if (!refusal->allow.empty()) {
    reply.headers.emplace_back("Allow", refusal->allow);
  }
  return reply;
}

HttpReply event_stream(std::shared_ptr<HttpCall> call) {
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  reply.stream = [call = std::move(call)](HttpSink& sink) { call->stream_events(sink); };
  return reply;
}

/// JSON at once where the call is quick, else in chunks: its status is 200 either way.
HttpReply plain_json(std::shared_ptr<HttpCall> call) {
  if (std::optional<Reply> reply = call->wait(kPlainWait)) {
    return json_reply(reply->http_status, std::move(reply->body));
  }
  HttpReply reply;
  reply.stream = [call = std::move(call)](HttpSink& sink) { call->stream_json(sink); };
  return reply;
}

}  // namespace

HttpTransport::HttpTransport(const McpServer& server)
    : server_(server),
      pool_(std::make_unique<GrowingPool>(GrowingPool::Options{})) {}

Result<std::unique_ptr<HttpTransport>> HttpTransport::open(const McpServer& server,
                                                           const ListenAddress& address) {
  std::unique_ptr<HttpTransport> transport(new HttpTransport(server));
  HttpHandlers handlers;
  handlers.screen = screen;
  handlers.post = [self = transport.get()](const HttpHead& head, const std::string& body) {
    return self->on_post(head, body);
  };
  handlers.too_large = refuse(413, rpc::kParseError, "the body is larger than 16 MiB");
  HttpLimits limits;
  limits.max_body_bytes = kMaxBodyBytes;
  WS_TRY(transport->http_, bind_http(address, std::move(handlers), limits));
  return transport;
}

HttpReply HttpTransport::on_post(const HttpHead& head, const std::string& body) {
  const McpHeaders headers{head.header("MCP-Protocol-Version"), head.header("Mcp-Method"),
                           head.header("Mcp-Name")};
  const auto call = std::make_shared<HttpCall>(end_.get_token());
  RequestContext context;
  context.headers = &headers;
  context.notify = [call](std::string line) { call->notify(std::move(line)); };
  context.stop = call->stop();
  Accepted accepted = server_.accept(body, context);
  if (accepted.reply) {
    return json_reply(accepted.reply->http_status, std::move(accepted.reply->body));
  }
  if (accepted.modern) {
    call->cancel_when_closed();
  }
  if (!pool_->submit([call, work = std::move(accepted.work)] { call->finish(work()); })) {
    return refuse(kUnavailable, rpc::kInternal, "busy: too many requests are queued; try again");
  }
  const bool events =
      accepted.wants_progress && accepts_event_stream(head.header("Accept").value_or(""));
  return events ? event_stream(call) : plain_json(call);
}

bool HttpTransport::run(int stop_fd) {
  std::thread serving([this] { http_->run(); });
  pollfd wait{stop_fd, POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  end_.request_stop();
  http_->stop();
  const bool stopped = pool_->wait_idle(kGraceAfterStop);
  // Idle connections last for some seconds more, in httplib's own wait. They are left to the end
  // of the process, with what they use.
  serving.detach();
  [[maybe_unused]] const HttpServer* http = http_.release();
  [[maybe_unused]] const GrowingPool* pool = pool_.release();
  return stopped;
}

}  // namespace ws
