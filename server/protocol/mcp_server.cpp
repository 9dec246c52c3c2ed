#include "server/protocol/mcp_server.h"

#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/trace.h"
#include "runtime/base/viewer.h"
#include "server/memory_reserve.h"
#include "server/protocol/batch.h"
#include "server/protocol/message.h"
#include "server/protocol/methods.h"
#include "server/protocol/request_log.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxBatch = 100;
constexpr int kUnavailable = 503;
constexpr const char* kStopping =
    "busy: the server is stopping and takes no new requests; send it again to the next one";

Accepted reply_now(std::string body, int http_status = 200) {
  Accepted accepted;
  accepted.reply = Reply{std::move(body), http_status};
  return accepted;
}

Accepted nothing_to_send() {
  return reply_now({}, kAccepted);
}

/// A notification gets no reply even when it is malformed, and neither does a response on stdio:
/// answering one could start a loop.
bool is_unanswerable(const Json& value, bool http) {
  if (!value.is_object() || (value.contains("id") && value.contains("method"))) {
    return false;
  }
  const bool response = value.contains("result") || value.contains("error");
  return value.contains("method") || (response && !http);
}

bool is_response(const Json& value) {
  return value.is_object() && !value.contains("method") &&
         (value.contains("result") || value.contains("error"));
}

Revision fallback_revision(const RequestContext& context) {
  return context.connection == nullptr ? Revision::kMarch2025 : context.connection->legacy.load();
}

}  // namespace

/// Answers a message that is not even a request, or cannot be worked on.
Accepted McpServer::refuse(const RequestContext& context, const Json& id,
                           const RpcError& error) const {
  counts_->refused();
  if (context.logged) {
    log_malformed({context.client, context.principal->name}, error.code, error.message);
  }
  return reply_now(error_line(id, error), error.http_status);
}

Accepted McpServer::refuse_request(const RequestContext& context, std::string message) const {
  return refuse(context, nullptr, {rpc::kInvalidRequest, std::move(message), nullptr, kBadRequest});
}

Accepted McpServer::accept(std::string_view text, const RequestContext& whose) const {
  const RequestScope scope(whose.request_id);
  const ViewerScope viewer(whose.principal->viewer);
  RequestContext context = whose;
  context.room = std::make_shared<const MessageRoom>(text.size());
  RpcResult<Json> value = parse_json(text);
  if (!value) {
    return refuse(context, nullptr, value.error());
  }
  if (value->is_array()) {
    return accept_batch(*std::move(value), context);
  }
  return accept_value(*std::move(value), context);
}

Reply McpServer::handle(std::string_view text, const RequestContext& context) const {
  Accepted accepted = accept(text, context);
  if (accepted.reply) {
    return *std::move(accepted.reply);
  }
  std::promise<Reply> reply;
  accepted.work([&reply](Reply own) { reply.set_value(std::move(own)); });
  return reply.get_future().get();
}

Accepted McpServer::accept_batch(Json values, const RequestContext& context) const {
  std::optional<Revision> revision = fallback_revision(context);
  if (context.headers != nullptr && context.headers->version) {
    revision = revision_of(*context.headers->version);
  }
  if (revision != Revision::kMarch2025) {
    return refuse_request(context,
                          "batches exist in protocol version 2025-03-26 only; send one message");
  }
  if (values.empty() || values.size() > kMaxBatch) {
    return refuse_request(context,
                          "a batch must have 1 to " + std::to_string(kMaxBatch) + " messages");
  }
  std::vector<Accepted> parts;
  for (const Json& value : values) {
    const Json method = value.is_object() ? value.value("method", Json()) : Json();
    const bool modern = value.is_object() && value.contains("params") &&
                        value["params"].is_object() && value["params"].contains("_meta") &&
                        value["params"]["_meta"].is_object() &&
                        value["params"]["_meta"].contains(meta::kVersion);
    if (modern || method == "initialize") {
      return refuse_request(context,
                            "a batch cannot hold initialize or a request of a later version");
    }
  }
  // Only now: what is accepted has its id in use until it is answered.
  for (Json& value : values) {
    parts.push_back(accept_value(std::move(value), context));
  }
  return join_batch(std::move(parts));
}

Accepted McpServer::accept_value(Json value, const RequestContext& context) const {
  if (options_.talks && is_response(value)) {
    return take_response(value, context);
  }
  if (is_unanswerable(value, context.headers != nullptr)) {
    if (RpcResult<Message> message = to_message(std::move(value))) {
      notification(Call{*std::move(message), {}, context});
    }
    return nothing_to_send();
  }
  const Json id = usable_id(value);
  try {
    RpcResult<Message> message = to_message(std::move(value));
    if (!message) {
      return refuse(context, id, message.error());
    }
    RpcResult<Envelope> envelope =
        open_envelope(*message, context.headers, fallback_revision(context));
    if (!envelope) {
      return refuse(context, id, envelope.error());
    }
    return accept_request(Call{*std::move(message), *std::move(envelope), context});
  } catch (const std::exception& error) {
    log(LogLevel::kError, "request", "a request is not worked on:");
    log(LogLevel::kError, "request", error.what());
    Accepted accepted;
    accepted.reply = failed(id, error);
    return accepted;
  }
}

Accepted McpServer::accept_request(Call call) const {
  const auto started = Clock::now();
  const bool modern = is_modern(call.envelope.revision);
  call.context.span = drawn_span();
  const RequestScope scope(call.context.request_id, call.context.span);
  if (draining_) {
    return refuse(call.context, call.message.id,
                  {rpc::kInternal, kStopping, nullptr, kUnavailable});
  }
  if (options_.talks && !modern) {
    if (const RpcResult<void> found = find_state(call.message.method, call.context); !found) {
      return refuse(call.context, call.message.id, found.error());
    }
  }
  const Method* method = find_method(call);
  if (method == nullptr) {
    return refuse(call.context, call.message.id,
                  {rpc::kMethodNotFound, "there is no method \"" + call.message.method + "\"",
                   nullptr, modern ? kNotFound : 200});
  }
  if (const RpcResult<void> allowed = check_role(*method, call); !allowed) {
    return refuse(call.context, call.message.id, allowed.error());
  }
  if (const RpcResult<void> checked = check_headers(*method, call); !checked) {
    return refuse(call.context, call.message.id, checked.error());
  }
  call.at_once = answer_now(*method, call);
  const bool slow = method->slow && !call.at_once;
  StdioConnection* connection = call.context.connection;
  std::shared_ptr<InFlight::Entry> entry;
  if (slow && connection != nullptr &&
      !(entry = connection->in_flight.add(call.message.id, call.context.stop))) {
    return refuse(call.context, call.message.id,
                  {rpc::kInvalidRequest,
                   "the id " + to_line(call.message.id) + " belongs to a request in progress",
                   nullptr, kBadRequest});
  }
  const std::shared_ptr<Call> shared(new Call(std::move(call)), [](const Call* gone) {
    const Parting parting;  // A JSON value takes memory to be destroyed.
    delete gone;
  });
  Accepted accepted;
  if (!slow) {
    accepted.reply = run(*method, *shared);
    log_request(*shared, started, *accepted.reply);
    return accepted;
  }
  accepted.may_stream = may_stream(*method, *shared);
  // A client that is asked, or listens, must be there. Others of the older revisions come and go.
  accepted.leaving_cancels = modern || may_ask(*method, *shared);
  accepted.must_stream = method->handler == &McpServer::listen;
  shared->context.headers = nullptr;  // The transport's; gone by the time of the work.
  auto reply = std::make_shared<OpenReply>(
      shared->message.id,
      [this, shared, started, open = accepted.must_stream ? nullptr : open_call(),
       last = last_words(*shared, modern, entry)](Reply& given) {
        last(given);
        log_request(*shared, started, given);
      });
  accepted.work = [this, method, shared, reply = std::move(reply)](SendReply send) mutable {
    const RequestScope at_work(shared->context.request_id, shared->context.span);
    const ViewerScope viewer(shared->context.principal->viewer);
    const std::shared_ptr<OpenReply> own = std::exchange(reply, nullptr);  // Nobody else has it.
    own->send_to(std::move(send));
    work(*method, shared, own);
  };
  return accepted;
}

std::shared_ptr<void> McpServer::open_call() const {
  static MetricCell& all = metric_cell(Metric::kOpenCalls);
  ++*open_calls_;
  all.add();
  return {open_calls_.get(), [own = open_calls_](void* /*count*/) {
            --*own;
            all.add(-1);
          }};
}

std::function<void(Reply&)> McpServer::last_words(const Call& call, bool modern,
                                                  const std::shared_ptr<InFlight::Entry>& entry) {
  // The work holds the entry: work that is dropped without an answer leaves no entry behind.
  if (entry) {
    return [entry](Reply& reply) {
      if (!entry->finish()) {
        reply.body.clear();
      }
    };
  }
  SharedInFlight* requests = modern ? nullptr : call.context.in_flight;
  if (requests == nullptr) {
    return [](Reply& /*reply*/) {};
  }
  const auto row = std::make_shared<SharedInFlight::Entry>(*requests, canceller_of(call.context),
                                                           call.message.id, call.context.stop);
  return [row](Reply& /*reply*/) { row->finish(); };
}

Reply McpServer::reply_of(const Json& id, Answer answer) {
  if (!answer) {
    return Reply{.body = error_line(id, answer.error()),
                 .http_status = answer.error().http_status,
                 .outcome = std::to_string(answer.error().code)};
  }
  return Reply{.body = result_line(id, answer->result), .outcome = std::move(answer->outcome)};
}

Reply McpServer::run(const Method& method, const Call& call) const {
  const Json& id = call.message.id;
  try {
    Reply reply = reply_of(id, (this->*method.handler)(call));
    if (method.handler == &McpServer::initialize && call.context.in_flight != nullptr) {
      reply.session =
          options_.talks ? sessions_.open(call.message.params.value("capabilities", Json::object()),
                                          introduced(call.message.params, call.context.client),
                                          call.context.principal->name)
                         : new_session_id();
    }
    return reply;
  } catch (const std::exception& error) {
    return failed(id, error);
  }
}

Reply McpServer::failed(const Json& id, const std::exception& error) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  keep_memory_reserve();
  Reply reply;
  surely([&] {
    const std::string message =
        memory ? kNoMemory : std::string("the request failed: ") + error.what();
    reply = Reply{.body = error_line(id, {rpc::kInternal, message, nullptr}),
                  .outcome = std::to_string(rpc::kInternal)};
  });
  return reply;
}

void McpServer::notification(const Call& call) const {
  const auto id = call.message.params.find("requestId");
  if (call.message.method != "notifications/cancelled" || id == call.message.params.end()) {
    return;  // initialized, roots/list_changed: nothing hangs on them.
  }
  if (StdioConnection* connection = call.context.connection) {
    connection->in_flight.cancel(*id);
  } else if (SharedInFlight* requests = call.context.in_flight) {
    requests->cancel(canceller_of(call.context), *id);
  }
}

}  // namespace ws::server
