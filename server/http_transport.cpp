#include "server/http_transport.h"

#include <cerrno>
#include <chrono>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>

#include "server/growing_pool.h"
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

HttpReply refuse_post(int status, int code, const std::string& message) {
  return json_reply(status, error_line(nullptr, {code, message, nullptr}));
}

std::optional<HttpReply> screen(const HttpHead& head, const HttpAccess& access) {
  const std::optional<HttpRefusal> refusal = screen_request(head, access);
  if (!refusal) {
    return {};
  }
  HttpReply reply = refuse_post(refusal->status, rpc::kInvalidRequest, refusal->message);
  if (!refusal->allow.empty()) {
    reply.headers.emplace_back("Allow", refusal->allow);
  }
  if (!refusal->authenticate.empty()) {
    reply.headers.emplace_back("WWW-Authenticate", refusal->authenticate);
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

/// Idle connections last for some seconds after the end, in httplib's own wait, with threads that
/// use their server: it is never destroyed.
void leave_to_process_end(std::unique_ptr<HttpServer> http) {
  static auto* const left = new std::vector<std::unique_ptr<HttpServer>>();
  left->push_back(std::move(http));
}

}  // namespace

struct HttpTransport::State {
  explicit State(const McpServer& core)
      : server(core),
        pool(GrowingPool::Options{}) {}

  const McpServer& server;
  std::stop_source end;
  std::shared_mutex gate;  // held in common while a message is being accepted
  bool ended = false;      // from here on `server` may be gone; guarded by gate
  GrowingPool pool;
};

HttpTransport::HttpTransport(const McpServer& server)
    : state_(std::make_shared<State>(server)) {}

Result<std::unique_ptr<HttpTransport>> HttpTransport::open(const McpServer& server,
                                                           const ListenAddress& address,
                                                           std::optional<BearerToken> token) {
  std::unique_ptr<HttpTransport> transport(new HttpTransport(server));
  HttpHandlers handlers;
  handlers.screen = [access = HttpAccess{std::move(token), address.loopback}](
                        const HttpHead& head) { return screen(head, access); };
  handlers.post = [state = transport->state_](const HttpHead& head, const std::string& body) {
    return on_post(*state, head, body);
  };
  handlers.too_large = refuse_post(413, rpc::kParseError, "the body is larger than 16 MiB");
  HttpLimits limits;
  limits.max_body_bytes = kMaxBodyBytes;
  WS_TRY(transport->http_, bind_http(address, std::move(handlers), limits));
  return transport;
}

HttpReply HttpTransport::on_post(State& state, const HttpHead& head, const std::string& body) {
  const McpHeaders headers{head.header("MCP-Protocol-Version"), head.header("Mcp-Method"),
                           head.header("Mcp-Name")};
  const auto call = std::make_shared<HttpCall>(state.end.get_token());
  RequestContext context;
  context.headers = &headers;
  context.client = head.address;
  context.notify = [call](std::string line) { call->notify(std::move(line)); };
  context.stop = call->stop();
  std::shared_lock accepting(state.gate);
  if (state.ended) {
    return refuse_post(kUnavailable, rpc::kInternal, "the server is stopping");
  }
  Accepted accepted = state.server.accept(body, context);
  if (accepted.reply) {
    return json_reply(accepted.reply->http_status, std::move(accepted.reply->body));
  }
  if (accepted.modern) {
    call->cancel_when_closed();
  }
  if (!state.pool.submit([call, work = std::move(accepted.work)] { call->finish(work()); })) {
    return refuse_post(kUnavailable, rpc::kInternal,
                       "busy: too many requests are queued; try again");
  }
  accepting.unlock();
  const bool events =
      accepted.wants_progress && accepts_event_stream(head.header("Accept").value_or(""));
  return events ? event_stream(call) : plain_json(call);
}

bool HttpTransport::run(int stop_fd) {
  std::thread([http = http_.get()] { http->run(); }).detach();
  pollfd wait{stop_fd, POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  http_->stop();
  leave_to_process_end(std::move(http_));
  {
    const std::unique_lock closing(state_->gate);
    state_->ended = true;
  }
  state_->end.request_stop();
  return state_->pool.wait_idle(kGraceAfterStop);
}

}  // namespace ws
