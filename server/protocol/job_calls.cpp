// Calls whose jobs go on as tasks, and the methods by which clients ask for those.
#include <charconv>
#include <memory>
#include <utility>

#include "server/protocol/methods.h"

namespace ws::server {
namespace {

constexpr const char* kJobTool = "job";
constexpr int kLongestWaitMs = 600'000;
constexpr int kQuickMs = 200;
constexpr std::size_t kTasksOfPage = 100;
constexpr const char* kRelatedTask = "io.modelcontextprotocol/related-task";

CallContext context_of(const std::string& client) {
  CallContext context;
  context.caller.client = client;
  return context;
}

tl::unexpected<RpcError> no_task(const Error& error) {
  return rpc_fail(error.code == ErrorCode::kNotFound ? rpc::kInvalidParams : rpc::kInternal,
                  error.code == ErrorCode::kNotFound ? "there is no such task, or its time is over"
                                                     : to_text(error));
}

}  // namespace

std::string related_task(const std::string& task) {
  return '"' + std::string(kRelatedTask) + R"(":{"taskId":)" + to_line(Json(task)) + "}";
}

bool is_open_job(const Result<Json>& output) {
  if (!output || !output->contains("job_id")) {
    return false;
  }
  const Json status = output->value("status", Json());
  return status == "queued" || status == "running";
}

McpServer::~McpServer() {
  ended_.request_stop();
}

RpcResult<bool> McpServer::wants_task(const Call& call, const ToolCall& tool) const {
  const bool modern = is_modern(call.envelope.revision);
  const auto task = call.message.params.find("task");
  const bool asked = call.envelope.revision == Revision::kNovember2025 &&
                     task != call.message.params.end() && !task->is_null();
  if (options_.jobs == nullptr || (!modern && !asked)) {
    return false;
  }
  if (dynamic_cast<const MakesJobs*>(tool.entry->tool.get()) == nullptr) {
    return asked ? RpcResult<bool>(rpc_fail(rpc::kMethodNotFound,
                                            "this tool does not go on as a task: call it without "
                                            "`task`"))
                 : RpcResult<bool>(false);
  }
  return asked || declares(capabilities_of(call.message), tasks_capability());
}

void McpServer::make_task(ToolRun& run, bool as_task) {
  run.as_task = as_task;
  if (!as_task || run.tool.arguments->contains("wait_ms")) {
    return;  // A call that says how long it waits becomes a task when that time is over.
  }
  // 2025-11-25 wants a task in any case; in the other form quick work needs none.
  const bool modern = is_modern(run.call->envelope.revision);
  auto arguments = std::make_shared<Json>(*run.tool.arguments);
  (*arguments)["wait_ms"] = modern ? kQuickMs : 0;
  run.tool.arguments = arguments.get();
  run.own_arguments = std::move(arguments);
}

McpServer::Answered McpServer::shown(Revision revision, const Result<Json>& output,
                                     std::string_view own_meta, const std::string& picture) const {
  if (output) {
    return finisher_.finish(revision, call_result(revision, *output, picture), {}, own_meta);
  }
  return shown_error(revision, output.error(), own_meta);
}

McpServer::Answered McpServer::shown_error(Revision revision, const Error& error,
                                           std::string_view own_meta) const {
  const std::string meta =
      error_meta(error) + (own_meta.empty() ? "" : ",") + std::string(own_meta);
  return {finisher_.finish(revision, call_error(error), {}, meta), std::string(word(error.code))};
}

std::optional<McpServer::Answered> McpServer::task_made(const ToolRun& run,
                                                        const Result<Json>& output) const {
  const Call& call = *run.call;
  const bool modern = is_modern(call.envelope.revision);
  const bool open = is_open_job(output);
  if (!run.as_task || (modern && !open)) {
    return std::nullopt;
  }
  const std::string& client = run.context.caller.client;
  // The older revisions want a task also of what is known at once.
  const Result<JobStanding> job =
      open ? options_.jobs->look_up((*output)["job_id"], context_of(client))
           : options_.jobs->keep(run.tool.entry->tool->spec().name, output, client);
  if (!job) {
    return shown(call.envelope.revision, fail(job.error()));
  }
  if (modern) {
    return finisher_.finish(kModern, to_line(modern_task(*job)), {}, {}, "task");
  }
  follow_for(call, job->id);
  return to_line(Json{{"task", older_task(*job)}});
}

RpcResult<JobStanding> McpServer::job_of(const Call& call) const {
  const Json id = call.message.params.value("taskId", Json());
  if (!id.is_string()) {
    return rpc_fail(rpc::kInvalidParams, "`taskId` must be a string");
  }
  const std::string client = caller_of(call.message, call.envelope.revision, call.context);
  Result<JobStanding> job = options_.jobs->look_up(id.get<std::string>(), context_of(client));
  if (!job) {
    return no_task(job.error());
  }
  if (given_up_.has(client, job->id) && !job->is_over()) {
    job->status = "cancelled";
    job->message = "the job was cancelled";
    job->outcome = fail(ErrorCode::kCancelled, job->message);
  }
  return *std::move(job);
}

McpServer::Answer McpServer::get_job(const Call& call) const {
  const RpcResult<JobStanding> job = job_of(call);
  if (!job) {
    return tl::unexpected(job.error());
  }
  if (!is_modern(call.envelope.revision)) {
    if (!job->is_over()) {
      follow_for(call, job->id);
    }
    return to_line(older_task(*job));
  }
  Json task = modern_task(*job);
  if (task["status"] == "completed") {
    task["result"] = Json::parse(shown(kModern, *job->outcome).result);
  } else if (task["status"] == "failed") {
    task["error"] = {{"code", rpc::kInternal}, {"message", job->message}};
  }
  return finisher_.finish(kModern, to_line(task));
}

McpServer::Answer McpServer::cancel_job(const Call& call) const {
  RpcResult<JobStanding> job = job_of(call);
  if (!job) {
    return tl::unexpected(job.error());
  }
  const bool modern = is_modern(call.envelope.revision);
  if (job->is_over()) {
    return modern
               ? task_answer(true)
               : rpc_fail(rpc::kInvalidParams, "the task has ended already: it is " +
                                                   older_task(*job)["status"].get<std::string>());
  }
  const std::string client = caller_of(call.message, call.envelope.revision, call.context);
  const Result<JobStanding> ended = options_.jobs->give_up(job->id, context_of(client));
  if (!ended) {
    return no_task(ended.error());
  }
  if (!ended->is_over()) {
    given_up_.add(client, job->id);
  }
  return modern ? task_answer(true) : Answer(to_line(older_task(*job_of(call))));
}

McpServer::Answer McpServer::list_jobs(const Call& call) const {
  const Json cursor = call.message.params.value("cursor", Json());
  std::int64_t from = 0;
  if (!cursor.is_null()) {
    const std::string text = cursor.is_string() ? cursor.get<std::string>() : std::string();
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, from);
    if (error != std::errc{} || stop != end || from <= 0) {
      return rpc_fail(rpc::kInvalidParams, "`cursor` is not one that this server gave out");
    }
  }
  const std::string client = caller_of(call.message, call.envelope.revision, call.context);
  const Result<JobPage> page = options_.jobs->list(client, from, kTasksOfPage);
  if (!page) {
    return rpc_fail(rpc::kInternal, to_text(page.error()));
  }
  Json list = {{"tasks", Json::array()}};
  for (const JobStanding& job : page->jobs) {
    list["tasks"].push_back(older_task(job));
  }
  if (page->next != 0) {
    list["nextCursor"] = std::to_string(page->next);
  }
  return to_line(list);
}

McpServer::Answer McpServer::job_result(const Call& /*call*/) const {
  return rpc_fail(rpc::kInternal, "there is nobody to wait for the task");
}

void McpServer::await_job(const std::shared_ptr<Call>& call,
                          const std::shared_ptr<OpenReply>& reply) const {
  const Json& id = call->message.id;
  const RpcResult<JobStanding> job = job_of(*call);
  if (!job) {
    reply->send(reply_of(id, tl::unexpected(job.error())));
    return;
  }
  if (job->outcome) {
    reply->send(reply_of(id, shown(call->envelope.revision, *job->outcome, related_task(job->id))));
    return;
  }
  const auto arguments = std::make_shared<const Json>(
      Json{{"job_id", job->id}, {"action", "wait"}, {"wait_ms", kLongestWaitMs}});
  auto run =
      std::make_shared<ToolRun>(run_of(call, ToolCall{registry_.find(kJobTool), arguments.get()}));
  run->own_arguments = arguments;
  run->result_of = job->id;
  run->reply = reply;
  run_tool(run);
}

void McpServer::follow(const std::string& task) const {
  if (!changes_->begin_watch(task)) {
    return;
  }
  const auto changed = [task, weak = std::weak_ptr(changes_)](const JobStanding& job) {
    const auto changes = weak.lock();
    if (!changes) {
      return;
    }
    if (job.is_over()) {
      changes->end_watch(task);
    }
    changes->task_changed(task, older_task(job), modern_task(job));
  };
  if (!options_.jobs->watch(task, ended_.get_token(), changed)) {
    changes_->end_watch(task);
  }
}

void McpServer::follow_for(const Call& call, const std::string& task) const {
  if (call.context.state) {
    call.context.state->follow(task);
    follow(task);
  }
}

}  // namespace ws::server
