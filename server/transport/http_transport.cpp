#include "server/transport/http_transport.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <poll.h>

#include "runtime/base/log.h"
#include "server/memory_reserve.h"
#include "server/protocol/message.h"
#include "server/protocol/request_log.h"
#include "server/transport/call_pool.h"
#include "server/transport/event_streams.h"

namespace ws::server {
namespace {

constexpr auto kGraceAfterStop = std::chrono::seconds(5);
constexpr int kForbidden = 403;
constexpr int kUnavailable = 503;
/// A body over it is looked at by another thread than the one that serves all connections.
constexpr std::size_t kLargeBody = std::size_t{256} << 10U;
constexpr const char* kBusy = "busy: too many requests are queued; try again";
constexpr const char* kHealthPath = "/health";
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr std::size_t kMaxSession = 128;

HttpReply json_reply(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

HttpReply refuse_post(int status, int code, const std::string& message) {
  return json_reply(status, error_line(nullptr, {code, message, nullptr}));
}

HttpReply refusal_of(const std::string& address, int status, const std::string& message) {
  log_refusal(address, {}, {}, status, message);
  constexpr int kTooLarge = 413;
  return refuse_post(status, status == kTooLarge ? rpc::kParseError : rpc::kInvalidRequest,
                     message);
}

std::optional<HttpReply> screen(const HttpHead& head, const HttpAccess& access) {
  const std::optional<HttpRefusal> refusal = screen_request(head, access);
  const bool asks = head.method == "GET" || head.method == "HEAD";
  if (asks && head.path == kHealthPath && (!refusal || refusal->status != kForbidden)) {
    log_health(head.address, head.method, head.path);
    return json_reply(200, R"({"status":"ok"})");
  }
  if (!refusal) {
    return {};
  }
  log_refusal(head.address, head.method, head.path, refusal->status, refusal->message);
  HttpReply reply = refuse_post(refusal->status, rpc::kInvalidRequest, refusal->message);
  if (!refusal->allow.empty()) {
    reply.headers.emplace_back("Allow", refusal->allow);
  }
  if (!refusal->authenticate.empty()) {
    reply.headers.emplace_back("WWW-Authenticate", refusal->authenticate);
  }
  return reply;
}

/// One request that takes its time. Any thread.
class OpenCall {
 public:
  OpenCall(const std::stop_token& end, std::shared_ptr<HttpResponder> responder)
      : with_server_(end, StopTogether{stop_}),
        responder_(std::move(responder)) {}

  [[nodiscard]] std::stop_source stop() const { return stop_; }

  /// Before anything is sent.
  void stream() {
    streams_ = true;
    responder_->begin(event_stream_head());
  }

  /// The same with a stream that the client may take up again.
  void stream(std::shared_ptr<EventStream> events) {
    streams_ = true;
    events_ = std::move(events);
    events_->begin(responder_);
  }

  /// In place of an answer of its own.
  void resume(std::shared_ptr<EventStream> events, std::uint64_t after) {
    events_ = std::move(events);
    events_->resume(after, responder_);
  }

  void notify(const std::string& line) {
    if (events_) {
      events_->send(line);
    } else if (streams_) {
      responder_->send(as_event(line));
    }
  }

  void fail(int status, const char* message) {
    finish(Reply{.body = error_line(nullptr, {rpc::kInternal, message, nullptr}),
                 .http_status = status});
  }

  /// A client that closes its connection cancels the call. Legacy clients may come and go.
  void cancel_when_left() {
    left_cancels_ = true;
    if (left_) {
      stop_.request_stop();
    }
  }

  void leave() {
    left_ = true;
    if (events_) {
      events_->leave(responder_.get());
    }
    if (left_cancels_) {
      stop_.request_stop();
    }
  }

  void finish(Reply reply) {
    if (events_) {
      events_->finish(reply.body);
      return;
    }
    if (streams_) {
      responder_->finish(as_event(reply.body));
      return;
    }
    HttpReply whole = json_reply(reply.http_status, std::move(reply.body));
    if (!reply.session.empty()) {
      whole.headers.emplace_back(kSessionHeader, reply.session);
    }
    responder_->reply(std::move(whole));
  }

 private:
  struct StopTogether {
    std::stop_source stop;

    void operator()() { stop.request_stop(); }
  };

  std::stop_source stop_;
  std::stop_callback<StopTogether> with_server_;
  std::shared_ptr<HttpResponder> responder_;
  std::shared_ptr<EventStream> events_;  // null: one that cannot be taken up again, or none
  std::atomic<bool> streams_ = false;
  std::atomic<bool> left_ = false;
  std::atomic<bool> left_cancels_ = false;
};

}  // namespace

struct HttpTransport::State {
  explicit State(const McpServer& core)
      : server(core) {}

  const McpServer& server;
  std::stop_source end;
  SharedInFlight in_flight;
  EventStreams streams;
  CallPool pool;

  static RequestContext context_for(const std::shared_ptr<State>& self, const HttpHead& head,
                                    const std::shared_ptr<OpenCall>& call) {
    RequestContext context;
    context.in_flight = &self->in_flight;
    context.session = head.header("mcp-session-id").value_or("").substr(0, kMaxSession);
    context.client = head.address;
    context.logged = true;
    context.notify = [call](const std::string& line) { call->notify(line); };
    context.stop = call->stop();
    context.end = self->end.get_token();
    context.takes_stream = accepts_event_stream(head.header("accept").value_or(""));
    context.go_on = [self](const std::function<void()>& rest) { self->pool.go_on(rest); };
    return context;
  }

  /// Answers what is quick.
  static void accept(const std::shared_ptr<State>& self, const HttpRequest& request,
                     const std::shared_ptr<OpenCall>& call) {
    const HttpHead& head = request.head;
    McpHeaders headers{head.header("mcp-protocol-version"), head.header("mcp-method"),
                       head.header("mcp-name")};
    for (const auto& header : head.headers) {
      if (header.first.starts_with(kArgumentHeader)) {
        headers.arguments.push_back(header);
      }
    }
    RequestContext context = context_for(self, head, call);
    context.headers = &headers;
    if (head.method == "DELETE") {
      call->finish(self->server.end_session(context));
      return;
    }
    if (head.method == "GET") {
      const auto [stream, after] =
          self->streams.find(context.session, head.header("last-event-id").value_or(""));
      if (stream) {
        call->resume(stream, after);
        return;
      }
    }
    Accepted accepted = head.method == "GET" ? self->server.accept_stream(context)
                                             : self->server.accept(request.body, context);
    if (accepted.reply) {
      call->finish(*std::move(accepted.reply));
      return;
    }
    const bool streams = accepted.must_stream || (accepted.may_stream && context.takes_stream);
    const bool lasts = self->server.talks() && head.method == "POST" && !context.session.empty() &&
                       headers.version == name_of(Revision::kNovember2025);
    if (streams && lasts) {
      call->stream(self->streams.open(
          context.session, [stop = call->stop(), ends = accepted.leaving_cancels]() mutable {
            if (ends) {
              stop.request_stop();
            }
          }));
    } else if (streams) {
      call->stream();
    }
    if (accepted.leaving_cancels && !(streams && lasts)) {
      call->cancel_when_left();
    }
    if (!self->pool.begin([call, work = std::move(accepted.work)](const auto& open) {
          work([call, open](Reply reply) { call->finish(std::move(reply)); });
        })) {
      log_refusal(head.address, head.method, head.path, kUnavailable, kBusy);
      call->fail(kUnavailable, kBusy);
    }
  }

  /// As accept(), which there may be no memory for.
  static void accept_safely(const std::shared_ptr<State>& self, const HttpRequest& request,
                            const std::shared_ptr<OpenCall>& call) {
    try {
      accept(self, request, call);
    } catch (const std::exception& error) {
      keep_memory_reserve();
      log(LogLevel::kError, "http", "a request is not answered:");
      log(LogLevel::kError, "http", error.what());
      call->fail(kUnavailable, kNoMemory);
    }
  }
};

HttpTransport::HttpTransport(const McpServer& server)
    : state_(std::make_shared<State>(server)) {}

Result<std::unique_ptr<HttpTransport>> HttpTransport::open(const McpServer& server,
                                                           const ListenAddress& address,
                                                           std::optional<BearerToken> token,
                                                           HttpLimits limits) {
  std::unique_ptr<HttpTransport> transport(new HttpTransport(server));
  HttpHandlers handlers;
  handlers.screen = [access = HttpAccess{std::move(token), address.loopback, server.talks()}](
                        const HttpHead& head) { return screen(head, access); };
  handlers.serve = [state = transport->state_](HttpRequest request,
                                               std::shared_ptr<HttpResponder> responder) {
    return serve(state, std::move(request), std::move(responder));
  };
  handlers.refuse = refusal_of;
  handlers.keep_alive_part = ":\n\n";
  limits.max_body_bytes = kMaxBodyBytes;
  WS_TRY(transport->http_, bind_http(address, std::move(handlers), limits));
  return transport;
}

std::function<void()> HttpTransport::serve(const std::shared_ptr<State>& state, HttpRequest request,
                                           std::shared_ptr<HttpResponder> responder) {
  const auto call = std::make_shared<OpenCall>(state->end.get_token(), std::move(responder));
  if (request.body.size() <= kLargeBody) {
    State::accept_safely(state, request, call);
  } else {
    const auto shared = std::make_shared<HttpRequest>(std::move(request));
    state->pool.go_on([state, shared, call] { State::accept_safely(state, *shared, call); });
  }
  return [call] { call->leave(); };
}

bool HttpTransport::run(int stop_fd) {
  std::thread serving([this] { http_->run(); });
  pollfd wait{stop_fd, POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  state_->end.request_stop();
  http_->stop();
  const bool idle = state_->pool.wait_idle(kGraceAfterStop);
  serving.join();
  return idle;
}

}  // namespace ws::server
