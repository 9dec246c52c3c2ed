// Calls of tools that go on as tasks, and the methods of tasks.
#include <memory>
#include <utility>

#include "server/protocol/methods.h"

namespace ws::server {

RpcError undeclared_tasks() {
  return {rpc::kMissingCapability,
          "the client must declare the extension " + std::string(kTasksExtension),
          {{"requiredCapabilities", tasks_capability()}},
          kBadRequest};
}

RpcResult<std::string> McpServer::task_of(const Call& call) {
  if (!declares(capabilities_of(call.message), tasks_capability())) {
    return tl::unexpected(undeclared_tasks());
  }
  const Json id = call.message.params.value("taskId", Json());
  if (!id.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`taskId` must be a string");
  }
  return id.get<std::string>();
}

McpServer::Answer McpServer::task_answer(bool found) const {
  if (!found) {
    return rpc_fail(rpc::kInvalidParams, "there is no such task, or its time is over");
  }
  return finisher_.finish(kModern, "{}");
}

McpServer::Answer McpServer::get_task(const Call& call) const {
  const RpcResult<std::string> id = task_of(call);
  if (!id) {
    return tl::unexpected(id.error());
  }
  const Json task = tasks_.get(*id);
  if (task.is_null() && options_.jobs != nullptr) {
    return get_job(call);
  }
  return task.is_null() ? task_answer(false) : finisher_.finish(kModern, to_line(task));
}

McpServer::Answer McpServer::update_task(const Call& call) const {
  const RpcResult<std::string> id = task_of(call);
  const RpcResult<Json> responses = responses_of(call.message.params);
  if (!id || !responses) {
    return tl::unexpected(id ? responses.error() : id.error());
  }
  const bool found = tasks_.update(*id, *responses);
  if (!found && options_.jobs != nullptr) {
    const RpcResult<JobStanding> job = job_of(call);  // It asks for nothing.
    return job ? task_answer(true) : tl::unexpected(job.error());
  }
  return task_answer(found);
}

McpServer::Answer McpServer::cancel_task(const Call& call) const {
  const RpcResult<std::string> id = task_of(call);
  if (!id) {
    return tl::unexpected(id.error());
  }
  const bool found = tasks_.cancel(*id);
  return found || options_.jobs == nullptr ? task_answer(found) : cancel_job(call);
}

McpServer::Answer McpServer::start_task(const ContentRun& run) const {
  const std::shared_ptr<const Call> call = run.call;
  const ToolCall tool = run.tool;
  const Json capabilities = capabilities_of(call->message);
  const auto work = [this, call, tool, capabilities](
                        const Inputs& inputs,
                        const std::stop_token& stop) -> RpcResult<Tasks::Outcome> {
    const ContentContext context = {.stop = stop, .log = drop_log, .may_take_long = true};
    const RpcResult<ContentAnswer> answer =
        content_of(tool)->answer(*tool.arguments, inputs, context);
    if (!answer) {
      return tl::unexpected(answer.error());
    }
    if (const auto* needed = std::get_if<InputNeeded>(&*answer)) {
      RpcResult<Json> requests = answerable(needed->requests, capabilities);
      if (!requests) {
        return tl::unexpected(std::move(requests).error());
      }
      return InputNeeded{*std::move(requests), needed->state};
    }
    return finisher_.finish(kModern, content_text(*answer));
  };
  const Json task = tasks_.start(run.inputs, work, call->context.go_on, call->context.end);
  if (task.is_null()) {
    return rpc_fail(rpc::kInternal, "busy: there are too many tasks; try again later");
  }
  return finisher_.finish(kModern, to_line(task), {}, {}, "task");
}

void McpServer::take_long(const std::shared_ptr<ContentRun>& run, bool only_as_task) const {
  const Call& call = *run->call;
  const bool modern = is_modern(call.envelope.revision);
  const bool knows = modern && declares(capabilities_of(call.message), tasks_capability());
  if (options_.tasks && knows) {
    run->reply->send(reply_of(call.message.id, start_task(*run)));
  } else if (!only_as_task) {
    run->context.may_take_long = true;
    run_content(run);
  } else if (modern) {
    run->reply->send(reply_of(call.message.id, tl::unexpected(undeclared_tasks())));
  } else {
    run->reply->send(reply_of(
        call.message.id, refused(call, "this tool goes on as a task, which needs 2026-07-28")));
  }
}

}  // namespace ws::server
