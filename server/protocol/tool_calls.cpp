// tools/call: the only method whose answer may have to wait.
#include <exception>
#include <memory>
#include <utility>

#include "runtime/base/nearest.h"
#include "server/protocol/methods.h"
#include "tools/answers_at_once.h"
#include "tools/typed_tool.h"

namespace ws::server {
std::string client_of(const Message& message, const std::string& from) {
  constexpr std::size_t kMaxName = 64;
  const Json* at = &message.params;
  for (const char* key : {"_meta", meta::kClientInfo, "name"}) {
    const auto found = at->is_object() ? at->find(key) : at->end();
    if (found == at->end()) {
      return from;
    }
    at = &*found;
  }
  return at->is_string() ? from + " " + at->get<std::string>().substr(0, kMaxName) : from;
}

RpcResult<McpServer::ToolCall> McpServer::tool_of(const Call& call) const {
  static const Json no_arguments = Json::object();
  const auto name = call.message.params.find("name");
  if (name == call.message.params.end() || !name->is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`name` must be a string: the tool to call");
  }
  const ToolRegistry::Entry* entry = registry_.find(name->get_ref<const std::string&>());
  if (entry == nullptr) {
    const std::string hint = suggest(name->get<std::string>(), registry_.names());
    return rpc_fail(rpc::kInvalidParams,
                    "there is no tool " + to_line(*name) + (hint.empty() ? "" : "; " + hint));
  }
  const auto arguments = call.message.params.find("arguments");
  if (arguments != call.message.params.end() && !arguments->is_object()) {
    return rpc_fail(rpc::kInvalidParams, "`arguments` must be an object");
  }
  return ToolCall{entry, arguments == call.message.params.end() ? &no_arguments : &*arguments};
}

McpServer::ToolRun McpServer::run_of(const std::shared_ptr<const Call>& call,
                                     const ToolCall& tool) const {
  ToolRun run{.call = call,
              .tool = tool,
              .context = {to_line(call->message.id), call->context.stop.get_token(), {}},
              .progress = nullptr,
              .later = {},
              .reply = nullptr};
  run.context.caller.client = client_of(call->message, call->context.client);
  if (!is_modern(call->envelope.revision) && !call->context.session.empty()) {
    // Requests of the older revisions hold no name: the session tells one client from another.
    run.context.caller.client += "\n" + call->context.session;
  }
  if (!call->envelope.progress_token.is_null() && call->context.notify) {
    run.progress =
        std::make_shared<ProgressReporter>(call->envelope.progress_token, call->context.notify);
    run.context.progress = [progress = run.progress](const Progress& report) {
      progress->report(report);
    };
  }
  return run;
}

McpServer::Answered McpServer::finish_tool(const ToolRun& run, Result<Json> output) const {
  if (run.progress) {
    run.progress->close();
  }
  if (output && options_.check_output) {
    if (const Status met = run.tool.entry->output.check(*output); !met) {
      output = fail(ErrorCode::kInternal, "the result does not meet the tool's output schema", {},
                    met.error().message);
    }
  }
  const Revision revision = run.call->envelope.revision;
  if (!output) {
    return {finisher_.finish(revision, call_error(output.error()), {}, error_meta(output.error())),
            std::string(word(output.error().code))};
  }
  return finisher_.finish(revision, call_result(revision, *output));
}

McpServer::Answer McpServer::call_tool(const Call& call) const {
  const RpcResult<ToolCall> tool = tool_of(call);
  if (!tool) {
    return tl::unexpected(tool.error());
  }
  const bool lasting = call.version && tool->arguments->empty();
  if (lasting) {
    if (std::optional<std::string> result = written(*tool->entry, call)) {
      return *std::move(result);
    }
  }
  // The call outlives what is made of it here.
  const std::shared_ptr<const Call> kept(&call, [](const Call* /*kept*/) {});
  if (content_of(*tool) != nullptr) {
    RpcResult<ContentRun> run = content_run(kept, *tool);
    return run ? content_answer(*run) : tl::unexpected(run.error());
  }
  ToolRun run = run_of(kept, *tool);
  const Status met = tool->entry->input.check(*tool->arguments);
  const Result<Json> output =
      met ? tool->entry->tool->call(*tool->arguments, run.context) : fail(met.error());
  Answered answered = finish_tool(run, output);
  if (lasting && output) {
    note_written(*tool->entry, call, *output, answered.result);
  }
  return answered;
}

void McpServer::run_tool(const std::shared_ptr<ToolRun>& run) const {
  const ToolCall& tool = run->tool;
  run->context.later = &run->later;
  const Status met = tool.entry->input.check(*tool.arguments);
  drive(run, met ? tool.entry->tool->call(*tool.arguments, run->context) : fail(met.error()));
}

void McpServer::drive(const std::shared_ptr<ToolRun>& run, Result<Json> output) const {
  if (const auto wait = std::exchange(run->later.wait, nullptr)) {
    wait([this, run] { run->call->context.go_on([this, run] { go_on(run); }); });
    return;
  }
  Answered answered = finish_tool(*run, std::move(output));
  run->reply->send(Reply{.body = result_line(run->call->message.id, answered.result),
                         .outcome = answered.outcome});
}

void McpServer::go_on(const std::shared_ptr<ToolRun>& run) const {
  try {
    const auto rest = std::exchange(run->later.go_on, nullptr);
    drive(run, guarded([&] { return rest(run->context); }));
  } catch (const std::exception& error) {
    run->reply->send(failed(run->call->message.id, error));
  }
}

void McpServer::work(const Method& method, const std::shared_ptr<Call>& call,
                     const std::shared_ptr<OpenReply>& reply) const {
  try {
    const bool waits = method.handler == &McpServer::call_tool && call->context.go_on;
    const RpcResult<ToolCall> tool = waits ? tool_of(*call) : ToolCall{};
    if (method.handler == &McpServer::listen) {
      listen_for(call, reply);
      return;
    }
    if (!waits || !tool) {
      reply->send(run(method, *call));
      return;
    }
    if (content_of(*tool) != nullptr) {
      RpcResult<ContentRun> run = content_run(call, *tool);
      if (!run) {
        reply->send(reply_of(call->message.id, tl::unexpected(run.error())));
        return;
      }
      run->reply = reply;
      run_content(std::make_shared<ContentRun>(*std::move(run)));
      return;
    }
    auto run = std::make_shared<ToolRun>(run_of(call, *tool));
    run->reply = reply;
    run_tool(run);
  } catch (const std::exception& error) {
    reply->send(failed(call->message.id, error));
  }
}

RpcResult<void> McpServer::check_headers(const Method& method, const Call& call) const {
  const bool by_headers = is_modern(call.envelope.revision) && call.context.headers != nullptr;
  if (mirrored_.empty() || !by_headers || method.handler != &McpServer::call_tool) {
    return {};
  }
  const RpcResult<ToolCall> tool = tool_of(call);
  const auto mirrored = tool ? mirrored_.find(tool->entry->tool.get()) : mirrored_.end();
  return mirrored == mirrored_.end()
             ? RpcResult<void>{}
             : check_mirrored(mirrored->second, *tool->arguments, *call.context.headers);
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

std::optional<std::string> McpServer::written(const ToolRegistry::Entry& entry,
                                              const Call& call) const {
  const std::lock_guard lock(written_mutex_);
  const auto at = written_.find({entry.tool->spec().name, call.envelope.revision});
  const bool same = at != written_.end() && at->second.version == *call.version;
  return same ? std::optional(at->second.result) : std::nullopt;
}

void McpServer::note_written(const ToolRegistry::Entry& entry, const Call& call, const Json& answer,
                             const std::string& result) const {
  const auto& tool = dynamic_cast<const AnswersAtOnce&>(*entry.tool);
  const std::lock_guard lock(written_mutex_);
  written_[{entry.tool->spec().name, call.envelope.revision}] = {tool.version_of(answer), result};
}

}  // namespace ws::server
