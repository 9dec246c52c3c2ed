// Calls of tools that speak MCP themselves, and requests that ask their client for more.
#include <exception>
#include <memory>
#include <utility>

#include "runtime/base/viewer.h"
#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr int kMaxRounds = 16;

const Json& meta_member(const Message& message, const char* key) {
  static const Json none;
  const auto meta = message.params.find("_meta");
  if (meta == message.params.end() || !meta->is_object()) {
    return none;
  }
  const auto member = meta->find(key);
  return member == meta->end() ? none : *member;
}

}  // namespace

LogFn log_from(Severity least, NotifyFn notify, std::string logger) {
  return [least, notify = std::move(notify), logger = std::move(logger)](Severity severity,
                                                                         const Json& data) {
    if (severity >= least && notify) {
      notify(to_line(
          Json{{"jsonrpc", "2.0"},
               {"method", "notifications/message"},
               {"params", {{"level", name_of(severity)}, {"logger", logger}, {"data", data}}}}));
    }
  };
}

const Json& capabilities_of(const Message& message) {
  return meta_member(message, meta::kCapabilities);
}

void drop_log(Severity /*severity*/, const Json& /*data*/) {}

std::string content_text(const ContentAnswer& answer) {
  const auto& content = std::get<Content>(answer);
  return R"({"content":)" + to_line(content.blocks) +
         (content.is_error ? R"(,"isError":true})" : "}");
}

ContentTool* McpServer::content_of(const ToolCall& tool) const {
  return has_content_tools_ ? dynamic_cast<ContentTool*>(tool.entry->tool.get()) : nullptr;
}

bool McpServer::may_stream(const Method& method, const Call& call) const {
  if (!call.envelope.progress_token.is_null()) {
    return true;
  }
  if (!options_.talks || method.handler != &McpServer::call_tool) {
    return false;
  }
  // A tool that makes no content has nothing to say but how its work goes on.
  const std::optional<Severity> least = least_of(call);
  return least && (has_content_tools_ ? is_modern(call.envelope.revision) || may_ask(method, call)
                                      : *least == Severity::kDebug);
}

std::optional<Severity> McpServer::least_of(const Call& call) {
  if (!is_modern(call.envelope.revision)) {
    return call.context.state ? std::optional(call.context.state->least()) : std::nullopt;
  }
  const Json& level = meta_member(call.message, meta::kLogLevel);
  return level.is_string() ? severity_of(level.get_ref<const std::string&>()) : std::nullopt;
}

bool McpServer::may_ask(const Method& method, const Call& call) const {
  if (!has_content_tools_ || method.handler != &McpServer::call_tool || !call.context.state) {
    return false;
  }
  const RpcResult<ToolCall> tool = tool_of(call);
  return tool && content_of(*tool) != nullptr;
}

RpcResult<Inputs> McpServer::inputs_of(const Call& call) const {
  Inputs inputs;
  const Json& params = call.message.params;
  if (!is_modern(call.envelope.revision)) {
    return inputs;
  }
  RpcResult<Json> responses = responses_of(params);
  if (!responses) {
    return tl::unexpected(std::move(responses).error());
  }
  inputs.responses = *std::move(responses);
  if (const auto state = params.find("requestState"); state != params.end()) {
    RpcResult<Json> opened =
        states_.open(state->is_string() ? state->get<std::string>() : std::string(),
                     request_name(call.message.method, params));
    if (!opened) {
      return tl::unexpected(std::move(opened).error());
    }
    inputs.state = *std::move(opened);
  }
  return inputs;
}

RpcResult<McpServer::ContentRun> McpServer::content_run(const std::shared_ptr<const Call>& call,
                                                        const ToolCall& tool) const {
  RpcResult<Inputs> inputs = inputs_of(*call);
  if (!inputs) {
    return tl::unexpected(std::move(inputs).error());
  }
  ContentRun run{.call = call,
                 .tool = tool,
                 .inputs = *std::move(inputs),
                 .context = {.stop = call->context.stop.get_token(), .log = drop_log},
                 .progress = nullptr,
                 .reply = nullptr};
  const NotifyFn& notify = call->context.notify;
  if (!call->envelope.progress_token.is_null() && notify) {
    run.progress = std::make_shared<ProgressReporter>(call->envelope.progress_token, notify);
    run.context.progress = [progress = run.progress](double done, double total) {
      progress->step(done, total);
    };
  }
  const std::string& name = tool.entry->tool->spec().name;
  if (const std::optional<Severity> least = least_of(*call)) {
    run.context.log = log_from(*least, notify, name);
  }
  return run;
}

RpcResult<ContentAnswer> McpServer::try_content(const ContentRun& run) const {
  if (const Status met = run.tool.entry->input.check(*run.tool.arguments); !met) {
    return Content{.blocks = Json::array({{{"type", "text"}, {"text", to_text(met.error())}}}),
                   .is_error = true};
  }
  return content_of(run.tool)->answer(*run.tool.arguments, run.inputs, run.context);
}

McpServer::Answer McpServer::content_answer(ContentRun& run) const {
  RpcResult<ContentAnswer> answer = try_content(run);
  if (answer && std::holds_alternative<TakesLong>(*answer)) {
    run.context.may_take_long = true;  // There is nobody to go on with it later.
    answer = try_content(run);
  }
  const auto* needed = answer ? std::get_if<InputNeeded>(&*answer) : nullptr;
  if (needed != nullptr && !is_modern(run.call->envelope.revision)) {
    return refused(*run.call, "the tool asks its client for something, which is not possible here");
  }
  return finish_content(run, answer);
}

McpServer::Answer McpServer::finish_content(const ContentRun& run,
                                            const RpcResult<ContentAnswer>& answer) const {
  if (run.progress) {
    run.progress->close();
  }
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  if (const auto* needed = std::get_if<InputNeeded>(&*answer)) {
    return input_required(*run.call, *needed);
  }
  return finisher_.finish(run.call->envelope.revision, content_text(*answer));
}

McpServer::Answer McpServer::refused(const Call& call, const std::string& message) const {
  const Error error{.code = ErrorCode::kUnsupported, .message = message, .hint = {}, .source = {}};
  return Answered{
      finisher_.finish(call.envelope.revision, call_error(error), {}, error_meta(error)),
      std::string(word(error.code))};
}

void McpServer::run_content(const std::shared_ptr<ContentRun>& run) const {
  const Json& id = run->call->message.id;
  try {
    const RpcResult<ContentAnswer> answer = try_content(*run);
    if (const auto* takes = answer ? std::get_if<TakesLong>(&*answer) : nullptr) {
      take_long(run, takes->only_as_task);
      return;
    }
    const auto* needed = answer ? std::get_if<InputNeeded>(&*answer) : nullptr;
    if (needed != nullptr && !is_modern(run->call->envelope.revision)) {
      ask_client(run, *needed);
      return;
    }
    run->reply->send(reply_of(id, finish_content(*run, answer)));
  } catch (const std::exception& error) {
    run->reply->send(failed(id, error));
  }
}

void McpServer::ask_client(const std::shared_ptr<ContentRun>& run,
                           const InputNeeded& needed) const {
  const RequestContext& context = run->call->context;
  const auto refuse = [this, run](const std::string& message) {
    run->reply->send(reply_of(run->call->message.id, refused(*run->call, message)));
  };
  if (!context.state || !context.takes_stream) {
    refuse(context.state
               ? "the tool asks its client for something, and the client does not accept "
                 "text/event-stream, in which it would be asked"
               : "the tool asks its client for something, and the client is in no session");
    return;
  }
  const RpcResult<Json> requests = answerable(needed.requests, context.state->capabilities());
  if (!requests || ++run->rounds > kMaxRounds) {
    refuse(requests ? "the tool asked its client too often, and got no fitting answer"
                    : requests.error().message);
    return;
  }
  run->inputs.state = needed.state;
  context.state->asks().ask(*requests, context.notify, run->context.stop,
                            [this, run, refuse](RpcResult<Json> given) {
                              if (!given) {
                                refuse(given.error().message);
                                return;
                              }
                              run->inputs.responses.update(*given);
                              run->call->context.go_on([this, run] {
                                const ViewerScope viewer(run->call->context.principal->viewer);
                                run_content(run);
                              });
                            });
}

McpServer::Answer McpServer::input_required(const Call& call, const InputNeeded& needed) const {
  if (!is_modern(call.envelope.revision)) {
    return rpc_fail(rpc::kInternal, "the client cannot be asked for what this request needs");
  }
  const RpcResult<Json> requests = answerable(needed.requests, capabilities_of(call.message));
  if (!requests) {
    return tl::unexpected(requests.error());
  }
  std::string result = R"({"inputRequests":)" + to_line(*requests);
  if (!needed.state.is_null()) {
    result += R"(,"requestState":)" +
              to_line(Json(states_.seal(needed.state,
                                        request_name(call.message.method, call.message.params))));
  }
  return finisher_.finish(call.envelope.revision, result + "}", {}, {}, "input_required");
}

}  // namespace ws::server
