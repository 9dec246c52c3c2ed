// Methods by which a client says what it wants to hear of, and what it was asked.
#include <algorithm>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr std::size_t kMaxValues = 100;  // The protocol's own limit.

RpcResult<std::string> text_member(const Json& object, const char* key, const char* what) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`" + std::string(key) + "` must be a string: " + what);
  }
  return member->get<std::string>();
}

}  // namespace

RpcResult<void> McpServer::find_state(const std::string& method, RequestContext& context) const {
  if (context.connection != nullptr) {
    context.state = context.connection->state;
  } else if (!context.session.empty() && method != "initialize") {
    context.state =
        sessions_.find(context.session, context.principal->name, options_.adopts_sessions);
    if (!context.state) {
      return rpc_fail(rpc::kInvalidRequest,
                      "the session has ended; send initialize to begin another", kNotFound);
    }
  }
  return {};
}

Accepted McpServer::take_response(const Json& response, const RequestContext& whose) const {
  RequestContext context = whose;
  Accepted accepted;
  const RpcResult<void> found = find_state({}, context);
  const bool taken = found && context.state && context.state->asks().take(response);
  const bool silent = taken || context.connection != nullptr;
  const RpcError error =
      found ? RpcError{rpc::kInvalidRequest, "this server asked nothing that this answers", nullptr,
                       kBadRequest}
            : found.error();
  accepted.reply =
      silent ? Reply{.body = {}, .http_status = kAccepted}
             : Reply{.body = error_line(nullptr, error), .http_status = error.http_status};
  return accepted;
}

McpServer::Answer McpServer::set_level(const Call& call) const {
  const RpcResult<std::string> name =
      text_member(call.message.params, "level", "a syslog level, such as \"info\"");
  const std::optional<Severity> level = name ? severity_of(*name) : std::nullopt;
  if (!level) {
    return name ? rpc_fail(rpc::kInvalidParams, "`level` must be a syslog level, such as \"info\"")
                : tl::unexpected(name.error());
  }
  if (call.context.state) {
    call.context.state->set_least(*level);
  }
  return std::string("{}");
}

McpServer::Answer McpServer::subscribe(const Call& call) const {
  const RpcResult<std::string> uri = text_member(call.message.params, "uri", "a resource");
  if (!uri) {
    return tl::unexpected(uri.error());
  }
  if (call.context.state && !call.context.state->subscribe(*uri)) {
    return rpc_fail(rpc::kInvalidParams, "there are too many subscriptions; end some of them");
  }
  return std::string("{}");
}

McpServer::Answer McpServer::unsubscribe(const Call& call) const {
  const RpcResult<std::string> uri = text_member(call.message.params, "uri", "a resource");
  if (!uri) {
    return tl::unexpected(uri.error());
  }
  if (call.context.state) {
    call.context.state->unsubscribe(*uri);
  }
  return std::string("{}");
}

McpServer::Answer McpServer::complete(const Call& call) const {
  const Json& params = call.message.params;
  const Json ref = params.value("ref", Json());
  const Json argument = params.value("argument", Json());
  const Json type = ref.is_object() ? ref.value("type", Json()) : Json();
  if (type != "ref/prompt" && type != "ref/resource") {
    return rpc_fail(rpc::kInvalidParams, "`ref` must be {type: ref/prompt or ref/resource, ...}");
  }
  if (!argument.is_object()) {
    return rpc_fail(rpc::kInvalidParams, "`argument` must be an object: {name, value}");
  }
  const RpcResult<std::string> name = text_member(argument, "name", "the argument to complete");
  const RpcResult<std::string> value = text_member(argument, "value", "what there is of it");
  if (!name || !value) {
    return tl::unexpected(name ? value.error() : name.error());
  }
  const Json context = params.value("context", Json::object());
  std::vector<std::string> values = options_.completions->complete(
      ref, *name, *value,
      context.is_object() ? context.value("arguments", Json::object()) : Json::object());
  const std::size_t total = values.size();
  values.resize(std::min(total, kMaxValues));
  const OrderedJson result = {
      {"completion", {{"values", values}, {"total", total}, {"hasMore", total > kMaxValues}}}};
  return finisher_.finish(call.envelope.revision, to_line(result));
}

void McpServer::tell_news(const Json& answer) const {
  const ResourceNews news = options_.news(answer);
  if (news.list) {
    changes_->resources_changed(news.in_list);
  }
  for (const std::string& uri : news.contents) {
    changes_->resource_updated(uri, news.in_contents);
  }
}

McpServer::Answer McpServer::listen(const Call& /*call*/) const {
  return rpc_fail(rpc::kInternal, "there is no stream to listen on");
}

void McpServer::listen_on(StdioConnection& connection, const Call& call) const {
  connection.state->introduce(call.message.params.value("capabilities", Json::object()));
  if (connection.listens.exchange(true)) {
    return;
  }
  changes_->listen({.send = call.context.notify,
                    .state = connection.state,
                    .viewer = call.context.principal->viewer},
                   connection.end.get_token(), {});
}

void McpServer::listen_for(const std::shared_ptr<Call>& call,
                           const std::shared_ptr<OpenReply>& reply) const {
  const Json& id = call->message.id;
  RpcResult<ChangeFilter> filter = filter_of(call->message.params);
  if (!filter) {
    reply->send(reply_of(id, tl::unexpected(filter.error())));
    return;
  }
  if (options_.jobs == nullptr) {
    filter->tasks.clear();  // The answer says which wishes are met.
  } else if (!filter->tasks.empty() &&
             !declares(capabilities_of(call->message), tasks_capability())) {
    reply->send(reply_of(id, tl::unexpected(undeclared_tasks())));
    return;
  } else {
    std::erase_if(filter->tasks,
                  [this](const std::string& task) { return !options_.jobs->knows(task); });
  }
  const std::string own = '"' + std::string(meta::kSubscription) + "\":" + to_line(id);
  // A connection of stdio that has ended waits for its calls.
  const auto with_end = std::make_shared<std::stop_callback<std::function<void()>>>(
      call->context.end, [stop = call->context.stop]() mutable { stop.request_stop(); });
  const auto ended = [this, call, reply, own, with_end] {
    std::string result = finisher_.finish(kModern, "{}", {}, own);
    reply->send(reply_of(call->message.id, Answered{std::move(result)}));
  };
  if (!changes_->listen({.send = call->context.notify,
                         .subscription = id,
                         .filter = *filter,
                         .viewer = call->context.principal->viewer},
                        call->context.stop.get_token(), ended)) {
    reply->send(reply_of(id, rpc_fail(rpc::kInternal, "busy: too many clients listen already")));
    return;
  }
  for (const std::string& task : filter->tasks) {
    follow(task);
  }
}

Accepted McpServer::accept_stream(const RequestContext& whose) const {
  RequestContext context = whose;
  Accepted accepted;
  if (const RpcResult<void> found = find_state({}, context); !found || !context.state) {
    const int status = found ? kBadRequest : found.error().http_status;
    const std::string message =
        found ? "the header Mcp-Session-Id is missing" : found.error().message;
    accepted.reply = Reply{.body = error_line(nullptr, {rpc::kInvalidRequest, message, nullptr}),
                           .http_status = status};
    return accepted;
  }
  accepted.leaving_cancels = true;
  accepted.must_stream = true;
  accepted.work = [this, context](const SendReply& send) {
    const auto with_session = std::make_shared<std::stop_callback<std::function<void()>>>(
        context.state->ended(), [stop = context.stop]() mutable { stop.request_stop(); });
    if (!changes_->listen(
            {.send = context.notify, .state = context.state, .viewer = context.principal->viewer},
            context.stop.get_token(), [send, with_session] { send(Reply{}); })) {
      send(Reply{});
    }
  };
  return accepted;
}

Reply McpServer::end_session(const RequestContext& context) const {
  if (sessions_.end(context.session, context.principal->name)) {
    return Reply{.body = {}, .http_status = 200};
  }
  return Reply{
      .body = error_line(nullptr, {rpc::kInvalidRequest, "there is no such session", nullptr}),
      .http_status = kNotFound};
}

}  // namespace ws::server
