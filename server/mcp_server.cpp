#include "server/mcp_server.h"

#include <memory>
#include <utility>
#include <vector>

#include "server/message.h"
#include "server/methods.h"
#include "tools/answers_at_once.h"

namespace ws {
namespace {

constexpr int kNotFound = 404;
constexpr int kAcceptedStatus = 202;
constexpr std::size_t kMaxBatch = 100;

Accepted reply_now(std::string body, int http_status = 200) {
  Accepted accepted;
  accepted.reply = Reply{std::move(body), http_status};
  return accepted;
}

Accepted nothing_to_send() {
  return reply_now({}, kAcceptedStatus);
}

Accepted refuse(const Json& id, const RpcError& error) {
  return reply_now(error_line(id, error), error.http_status);
}

Accepted refuse_request(std::string message) {
  return refuse(nullptr, {rpc::kInvalidRequest, std::move(message), nullptr, kBadRequest});
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

Revision fallback_revision(const RequestContext& context) {
  return context.connection == nullptr ? Revision::kMarch2025 : context.connection->legacy.load();
}

Accepted join_batch(std::vector<Accepted> parts) {
  auto shared = std::make_shared<std::vector<Accepted>>(std::move(parts));
  const auto work = [shared] {
    std::string body;
    for (Accepted& part : *shared) {
      const Reply reply = part.reply ? *std::move(part.reply) : part.work();
      if (!reply.body.empty()) {
        body += (body.empty() ? "[" : ",") + reply.body;
      }
    }
    return body.empty() ? Reply{{}, kAcceptedStatus} : Reply{body + "]"};
  };
  Accepted joined;
  joined.work = work;
  for (const Accepted& part : *shared) {
    joined.wants_progress = joined.wants_progress || part.wants_progress;
    if (part.work) {
      return joined;
    }
  }
  return reply_now(work().body, shared->empty() ? kAcceptedStatus : 200);
}

}  // namespace

Accepted McpServer::accept(std::string_view text, const RequestContext& context) const {
  RpcResult<Json> value = parse_json(text);
  if (!value) {
    return refuse(nullptr, value.error());
  }
  if (value->is_array()) {
    return accept_batch(*std::move(value), context);
  }
  return accept_value(*std::move(value), context);
}

Reply McpServer::handle(std::string_view text, const RequestContext& context) const {
  Accepted accepted = accept(text, context);
  return accepted.reply ? *std::move(accepted.reply) : accepted.work();
}

Accepted McpServer::accept_batch(Json values, const RequestContext& context) const {
  std::optional<Revision> revision = fallback_revision(context);
  if (context.headers != nullptr && context.headers->version) {
    revision = revision_of(*context.headers->version);
  }
  if (revision != Revision::kMarch2025) {
    return refuse_request("batches exist in protocol version 2025-03-26 only; send one message");
  }
  if (values.empty() || values.size() > kMaxBatch) {
    return refuse_request("a batch must have 1 to " + std::to_string(kMaxBatch) + " messages");
  }
  std::vector<Accepted> parts;
  for (const Json& value : values) {
    const Json method = value.is_object() ? value.value("method", Json()) : Json();
    const bool modern = value.is_object() && value.contains("params") &&
                        value["params"].is_object() && value["params"].contains("_meta") &&
                        value["params"]["_meta"].is_object() &&
                        value["params"]["_meta"].contains(meta::kVersion);
    if (modern || method == "initialize") {
      return refuse_request("a batch cannot hold initialize or a request of a later version");
    }
  }
  // Only now: what is accepted has its id in use until it is answered.
  for (Json& value : values) {
    parts.push_back(accept_value(std::move(value), context));
  }
  return join_batch(std::move(parts));
}

Accepted McpServer::accept_value(Json value, const RequestContext& context) const {
  if (is_unanswerable(value, context.headers != nullptr)) {
    if (RpcResult<Message> message = to_message(std::move(value))) {
      notification(Call{*std::move(message), {}, context});
    }
    return nothing_to_send();
  }
  const Json id = usable_id(value);
  RpcResult<Message> message = to_message(std::move(value));
  if (!message) {
    return refuse(id, message.error());
  }
  RpcResult<Envelope> envelope =
      open_envelope(*message, context.headers, fallback_revision(context));
  if (!envelope) {
    return refuse(id, envelope.error());
  }
  return accept_request(Call{*std::move(message), *std::move(envelope), context});
}

Accepted McpServer::accept_request(Call call) const {
  const bool modern = is_modern(call.envelope.revision);
  const Method* method = find_method(call);
  if (method == nullptr) {
    return refuse(call.message.id,
                  {rpc::kMethodNotFound, "there is no method \"" + call.message.method + "\"",
                   nullptr, modern ? kNotFound : 200});
  }
  call.version = version_now(*method, call);
  if (!method->slow || call.version) {
    Reply reply = run(*method, call);
    return reply_now(std::move(reply.body), reply.http_status);
  }
  Connection* connection = call.context.connection;
  if (connection != nullptr && !connection->in_flight.add(call.message.id, call.context.stop)) {
    return refuse(call.message.id,
                  {rpc::kInvalidRequest,
                   "the id " + to_line(call.message.id) + " belongs to a request in progress",
                   nullptr, kBadRequest});
  }
  Accepted accepted;
  accepted.modern = modern;
  accepted.wants_progress = !call.envelope.progress_token.is_null();
  call.context.headers = nullptr;  // The transport's; gone by the time of the work.
  accepted.work = [this, method, connection, shared = std::make_shared<Call>(std::move(call))] {
    Reply reply = run(*method, *shared);
    if (connection != nullptr && !connection->in_flight.finish(shared->message.id)) {
      reply.body.clear();
    }
    return reply;
  };
  return accepted;
}

std::optional<std::string> McpServer::version_now(const Method& method, const Call& call) const {
  const auto name = call.message.params.find("name");
  if (method.handler != &McpServer::call_tool || name == call.message.params.end() ||
      !name->is_string()) {
    return std::nullopt;
  }
  const ToolRegistry::Entry* entry = registry_.find(name->get_ref<const std::string&>());
  auto* tool = entry == nullptr ? nullptr : dynamic_cast<AnswersAtOnce*>(entry->tool.get());
  return tool == nullptr ? std::nullopt : tool->version_now();
}

Reply McpServer::run(const Method& method, const Call& call) const {
  const Answer answer = (this->*method.handler)(call);
  if (!answer) {
    return Reply{error_line(call.message.id, answer.error()), answer.error().http_status};
  }
  return Reply{result_line(call.message.id, *answer)};
}

void McpServer::notification(const Call& call) const {
  Connection* connection = call.context.connection;
  if (call.message.method != "notifications/cancelled" || connection == nullptr) {
    return;  // initialized, roots/list_changed: nothing hangs on them.
  }
  if (const auto id = call.message.params.find("requestId"); id != call.message.params.end()) {
    connection->in_flight.cancel(*id);
  }
}

}  // namespace ws
