#include "server/transport/http_transport.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <poll.h>

#include "runtime/base/log.h"
#include "runtime/base/metrics.h"
#include "runtime/base/request_id.h"
#include "runtime/base/viewer.h"
#include "server/memory_reserve.h"
#include "server/protocol/message.h"
#include "server/protocol/request_log.h"
#include "server/transport/call_pool.h"
#include "server/transport/event_streams.h"
#include "server/transport/login_refusals.h"
#include "server/transport/open_call.h"
#include "server/transport/request_ids.h"

namespace ws::server {
namespace {

constexpr auto kGraceAfterStop = std::chrono::seconds(5);
/// A body over it is looked at by another thread than the one that serves all connections.
constexpr std::size_t kLargeBody = std::size_t{256} << 10U;
constexpr int kUnauthorized = 401;
constexpr const char* kBusy = "busy: too many requests are queued; try again";
constexpr std::size_t kMaxSession = 128;

HttpReply refuse_post(int status, int code, const std::string& message) {
  HttpReply reply = json_reply(status, error_line(nullptr, {code, message, nullptr}));
  if (status == kUnavailable) {
    reply.headers.emplace_back("Retry-After", kRetryAfter);
  }
  return reply;
}

/// The request has no head that could be read.
HttpReply refusal_without_head(const std::string& address, int status, const std::string& message) {
  const std::string id = drawn_request_id();
  const RequestScope scope(id);
  log_refusal({address}, {}, {}, status, message);
  constexpr int kTooLarge = 413;
  HttpReply reply =
      refuse_post(status, status == kTooLarge ? rpc::kParseError : rpc::kInvalidRequest, message);
  reply.headers.emplace_back(kRequestIdHeader, id);
  return reply;
}

/// Under which the streams of a session are kept.
std::string stream_key(const RequestContext& context) {
  return client_key(context.principal->name, context.session);
}

/// The principal's name is left out where nobody is known.
LogSender sender_of(const HttpHead& head) {
  return {head.address, head.principal ? std::string_view(head.principal->name) : kLocalPrincipal};
}

HttpReply refusal_of(const HttpHead& head, const HttpRefusal& refusal) {
  static MetricCell& logins = metric_cell(Metric::kRejectedLogins);
  log_refusal(sender_of(head), head.method, head.path, refusal.status, refusal.message);
  HttpReply reply = refuse_post(refusal.status, rpc::kInvalidRequest, refusal.message);
  if (!refusal.allow.empty()) {
    reply.headers.emplace_back("Allow", refusal.allow);
  }
  if (refusal.retry_after.count() > 0) {
    reply.headers.emplace_back("Retry-After", std::to_string(refusal.retry_after.count()));
  }
  if (!refusal.authenticate.empty()) {
    logins.add(refusal.status == kUnauthorized ? 1 : 0);
    reply.headers.emplace_back("WWW-Authenticate", refusal.authenticate);
  }
  return reply;
}

std::optional<HttpReply> screen(HttpHead& head, const HttpAccess& access) {
  const std::optional<HttpRefusal> refusal = screen_request(head, access);
  const bool metadata = access.resource && access.resource->is_at(head.path);
  if (!refusal && head.path != kHealthPath && !metadata) {
    return {};
  }
  const std::string id = request_id_of(head);
  const RequestScope scope(id);
  if (!refusal) {
    log_page(sender_of(head), head.method, head.path, 200);
  }
  HttpReply reply =
      refusal ? refusal_of(head, *refusal)
              : json_reply(200, metadata ? access.resource->metadata() : R"({"status":"ok"})");
  reply.headers.emplace_back(kRequestIdHeader, id);
  return reply;
}

}  // namespace

struct HttpTransport::State {
  State(const McpServer& core, OperatorPages own)
      : server(core),
        pages(std::move(own)) {}

  const McpServer& server;
  const OperatorPages pages;
  std::shared_ptr<const ProtectedResource> resource{};  // as HttpOptions has it
  std::stop_source end;
  SharedInFlight in_flight;
  EventStreams streams;
  CallPool pool;

  static RequestContext context_for(const std::shared_ptr<State>& self, const HttpHead& head,
                                    const std::shared_ptr<OpenCall>& call) {
    RequestContext context;
    context.request_id = current_request_id();
    context.parent_span = parent_span_of(head);
    context.in_flight = &self->in_flight;
    context.session = head.header("mcp-session-id").value_or("").substr(0, kMaxSession);
    context.client = head.address;
    context.principal = head.principal;  // Not null: the head was screened.
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
    if (is_operator_page(self->pages, head.path)) {
      self->pool.go_on([self, call, request, id = std::string(current_request_id())] {
        const RequestScope scope(id);
        const ViewerScope viewer(request.head.principal ? request.head.principal->viewer : nullptr);
        if (wants_page_events(self->pages, request.head)) {
          call->cancel_when_left();
          const int status =
              self->pages.page_events(request.head, call->responder(), call->stop().get_token());
          log_page(sender_of(request.head), request.head.method, request.head.path, status);
          return;
        }
        HttpReply reply = operator_reply(self->pages, request);
        log_page(sender_of(request.head), request.head.method, request.head.path, reply.status);
        call->answer(std::move(reply));
      });
      return;
    }
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
          self->streams.find(stream_key(context), head.header("last-event-id").value_or(""));
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
          stream_key(context), [stop = call->stop(), ends = accepted.leaving_cancels]() mutable {
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
      log_refusal(sender_of(head), head.method, head.path, kUnavailable, kBusy);
      call->fail(kUnavailable, kBusy);
    }
  }

  /// As accept(), which there may be no memory for.
  static void accept_safely(const std::shared_ptr<State>& self, const std::string& id,
                            const HttpRequest& request, const std::shared_ptr<OpenCall>& call) {
    const RequestScope scope(id);
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

HttpTransport::HttpTransport(const McpServer& server, OperatorPages pages)
    : state_(std::make_shared<State>(server, std::move(pages))) {}

Result<std::unique_ptr<HttpTransport>> HttpTransport::open(const McpServer& server,
                                                           const HttpPlaces& places,
                                                           HttpOptions options) {
  std::unique_ptr<HttpTransport> transport(new HttpTransport(server, std::move(options.pages)));
  HttpHandlers handlers;
  const std::shared_ptr<State> state = transport->state_;
  if (!options.gate) {
    WS_TRY(const auto nobody, Principals::open({}, {}));
    options.gate = std::make_shared<Gate>(nobody);
  }
  state->resource = options.resource;
  HttpAccess access{.gate = std::move(options.gate),
                    .local_only = !places.address || places.address->loopback,
                    .sessions = server.talks(),
                    .has_page = [state](auto path) { return is_operator_page(state->pages, path); },
                    .metrics_open = options.metrics_open,
                    .resource = std::move(options.resource)};
  handlers.screen = [access = std::move(access)](HttpHead& head) { return screen(head, access); };
  handlers.serve = [state](HttpRequest request, std::shared_ptr<HttpResponder> responder) {
    return serve(state, std::move(request), std::move(responder));
  };
  handlers.refuse = refusal_without_head;
  handlers.keep_alive_part = ":\n\n";
  options.limits.max_body_bytes = kMaxBodyBytes;
  WS_TRY(transport->http_, bind_http(places, std::move(handlers), options.limits));
  return transport;
}

std::function<void()> HttpTransport::serve(const std::shared_ptr<State>& state, HttpRequest request,
                                           std::shared_ptr<HttpResponder> responder) {
  const std::string id = request_id_of(request.head);
  std::string challenge = scope_challenge(request.head.principal.get(), state->resource.get());
  const auto call = std::make_shared<OpenCall>(
      state->end.get_token(), named_responder(id, std::move(challenge), std::move(responder)));
  if (request.body.size() <= kLargeBody) {
    State::accept_safely(state, id, request, call);
  } else {
    const auto shared = std::make_shared<HttpRequest>(std::move(request));
    state->pool.go_on(
        [state, id, shared, call] { State::accept_safely(state, id, *shared, call); });
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
