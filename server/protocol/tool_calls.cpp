// tools/call: the only method whose answer may have to wait.
#include <exception>
#include <memory>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/base/request_id.h"
#include "runtime/base/viewer.h"
#include "server/protocol/choices.h"
#include "server/protocol/methods.h"
#include "tools/answers_at_once.h"
#include "tools/typed_tool.h"

namespace ws::server {

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
  if (arguments == call.message.params.end() || arguments->is_null()) {
    return ToolCall{entry, &no_arguments};
  }
  if (!arguments->is_object()) {
    return rpc_fail(rpc::kInvalidParams, "`arguments` must be an object");
  }
  return ToolCall{entry, &*arguments};
}

void McpServer::ToolRun::take_picture() {
  const Json& known = tool.entry->tool->spec().json["inputSchema"]["properties"];
  const auto asked_for = tool.arguments->find("picture");
  if (asked_for != tool.arguments->end() && asked_for->is_boolean() && known.contains("picture")) {
    picture = asked_for->get<bool>();
    Json rest = *tool.arguments;
    rest.erase("picture");
    take_arguments(std::move(rest));
  }
}

std::string McpServer::picture_of(const ToolRun& run, const Json& output) const {
  const Result<std::string> png = options_.picture(run.tool.entry->tool->spec().name, output);
  return png && png->empty() ? std::string() : picture_block(png);
}

McpServer::ToolRun McpServer::run_of(const std::shared_ptr<const Call>& call,
                                     const ToolCall& tool) const {
  ToolRun run{.call = call,
              .tool = tool,
              .context = {to_line(call->message.id), call->context.stop.get_token(), {}},
              .progress = nullptr,
              .later = {},
              .reply = nullptr};
  run.context.caller.client = caller_of(call->message, call->envelope.revision, call->context);
  if (const RpcResult<Inputs> inputs = inputs_of(*call); inputs && was_asked(inputs->responses)) {
    run.asked = true;
    if (std::optional<Json> chosen = chosen_arguments(*tool.arguments, inputs->responses)) {
      run.take_arguments(*std::move(chosen));
    }
  }
  if (options_.picture) {
    run.take_picture();
  }
  if (!call->envelope.progress_token.is_null() && call->context.notify) {
    run.progress =
        std::make_shared<ProgressReporter>(call->envelope.progress_token, call->context.notify);
    run.context.progress = [progress = run.progress](const Progress& report) {
      progress->report(report);
    };
  }
  if (options_.talks && least_of(*call) == Severity::kDebug && call->context.notify) {
    run.context.progress = [before = std::move(run.context.progress),
                            log = log_from(Severity::kDebug, call->context.notify,
                                           tool.entry->tool->spec().name)](const Progress& report) {
      if (before) {
        before(report);
      }
      log(Severity::kDebug, {{"message", report.message}, {"fraction", report.fraction}});
    };
  }
  return run;
}

Status McpServer::meets_schema(const ToolCall& tool, const Json& output) {
  const Status met = tool.entry->output.check(output);
  return met ? met
             : fail(ErrorCode::kInternal, "the result does not meet the tool's output schema", {},
                    met.error().message);
}

McpServer::Answered McpServer::finish_tool(const ToolRun& run, Result<Json> output) const {
  if (run.progress) {
    run.progress->close();
  }
  if (output && options_.check_output) {
    if (const Status met = meets_schema(run.tool, *output); !met) {
      output = fail(met.error());
    }
  }
  if (output && options_.news) {
    tell_news(*output);
  }
  const Call& call = *run.call;
  audit_call(call, run.tool, output ? &*output : nullptr,
             output ? std::string_view("ok") : word(output.error().code),
             role_for(*run.tool.entry->tool, *run.tool.arguments) == Role::kRead);
  if (!output && !run.asked && is_modern(call.envelope.revision)) {
    if (const auto choice = choice_of(*run.tool.arguments, output.error())) {
      // An error where the client cannot ask its user, who gets that of the tool then.
      if (Answer question = input_required(call, {choice_requests(*choice)})) {
        return *std::move(question);
      }
    }
  }
  if (std::optional<Answered> task = task_made(run, output)) {
    return *std::move(task);
  }
  const std::string meta = run.result_of.empty() ? std::string() : related_task(run.result_of);
  return shown(run.call->envelope.revision, output, meta,
               output && run.picture ? picture_of(run, *output) : std::string());
}

McpServer::Answer McpServer::call_tool(const Call& call) const {
  const RpcResult<ToolCall> tool = tool_of(call);
  if (!tool) {
    return tl::unexpected(tool.error());
  }
  const RpcResult<bool> as_task = wants_task(call, *tool);
  if (!as_task) {
    return tl::unexpected(as_task.error());
  }
  if (call.at_once && !*as_task) {
    return call_at_once(call, *tool);
  }
  // The call outlives what is made of it here.
  const std::shared_ptr<const Call> kept(&call, [](const Call* /*kept*/) {});
  if (content_of(*tool) != nullptr) {
    RpcResult<ContentRun> run = content_run(kept, *tool);
    return run ? content_answer(*run) : tl::unexpected(run.error());
  }
  ToolRun run = run_of(kept, *tool);
  make_task(run, *as_task);
  const Status met = tool->entry->input.check(*run.tool.arguments);
  Result<Json> output =
      met ? tool->entry->tool->call(*run.tool.arguments, run.context) : fail(met.error());
  return finish_tool(run, std::move(output));
}

McpServer::Answered McpServer::call_at_once(const Call& call, const ToolCall& tool) const {
  auto question = WrittenAnswers::question(tool.entry->tool->spec().name, *tool.arguments,
                                           call.envelope.revision);
  if (auto result = question ? written_.find(*question, call.at_once) : std::nullopt) {
    audit_call(call, tool, call.at_once.get(), "ok", true);
    return *std::move(result);
  }
  Status met = tool.entry->input.check(*tool.arguments);
  if (met && options_.check_output) {
    met = meets_schema(tool, *call.at_once);
  }
  audit_call(call, tool, met ? call.at_once.get() : nullptr,
             met ? std::string_view("ok") : word(met.error().code), true);
  if (!met) {
    return shown_error(call.envelope.revision, met.error());
  }
  std::string result =
      finisher_.finish(call.envelope.revision, call_result(call.envelope.revision, *call.at_once));
  if (question) {
    written_.note(*std::move(question), call.at_once, result);
  }
  return result;
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
  if (!run->result_of.empty() && is_open_job(output)) {  // Its time was over before the job.
    run_tool(run);
    return;
  }
  if (const std::optional<Choice> choice =
          output ? std::nullopt : run->choice_for(output.error())) {
    run->asked = true;
    const auto chosen = [this, run, error = output.error()](const RpcResult<Json>& given) {
      if (auto own = given ? chosen_arguments(*run->tool.arguments, *given) : std::nullopt) {
        run->take_arguments(*std::move(own));
        run->call->context.go_on([this, run] {
          const RequestScope scope(run->call->context.request_id, run->call->context.span);
          const ViewerScope viewer(run->call->context.principal->viewer);
          run_tool(run);
        });
      } else {
        drive(run, fail(error));
      }
    };
    run->call->context.state->asks().ask(choice_requests(*choice), run->call->context.notify,
                                         run->context.stop, chosen);
    return;
  }
  Answered answered = finish_tool(*run, std::move(output));
  run->reply->send(Reply{.body = result_line(run->call->message.id, answered.result),
                         .outcome = answered.outcome});
}

void McpServer::go_on(const std::shared_ptr<ToolRun>& run) const {
  const RequestScope scope(run->call->context.request_id, run->call->context.span);
  const ViewerScope viewer(run->call->context.principal->viewer);
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
    if (method.handler == &McpServer::job_result) {
      await_job(call, reply);
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
    const RpcResult<bool> as_task = wants_task(*call, *tool);
    if (!as_task) {
      reply->send(reply_of(call->message.id, tl::unexpected(as_task.error())));
      return;
    }
    auto run = std::make_shared<ToolRun>(run_of(call, *tool));
    make_task(*run, *as_task);
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

std::shared_ptr<const Json> McpServer::answer_now(const Method& method, const Call& call) const {
  const auto name = call.message.params.find("name");
  if (method.handler != &McpServer::call_tool || name == call.message.params.end() ||
      !name->is_string()) {
    return nullptr;
  }
  const ToolRegistry::Entry* entry = registry_.find(name->get_ref<const std::string&>());
  auto* tool = entry == nullptr ? nullptr : dynamic_cast<AnswersAtOnce*>(entry->tool.get());
  if (tool == nullptr) {
    return nullptr;
  }
  static const Json none = Json::object();
  const auto arguments = call.message.params.find("arguments");
  const bool some = arguments != call.message.params.end() && arguments->is_object();
  return tool->answer_now(some ? *arguments : none);
}

}  // namespace ws::server
