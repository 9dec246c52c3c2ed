#include "tools/job/job.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/base/viewer.h"
#include "runtime/session/node_jobs.h"
#include "tools/answer/next_steps.h"
#include "tools/job/job_schema.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kPoll{50};
/// A job that ends its server would end the next one too.
constexpr std::int64_t kMostResumes = 3;
constexpr std::size_t kMaxShown = 4096;

/// The arguments to call the job's tool with again; why not, where that is an error.
Result<Json> arguments_of(const JobRow& row, const ToolRegistry::Entry* entry) {
  Json arguments = Json::parse(row.arguments, nullptr, false);
  if (!arguments.is_object()) {
    return fail(ErrorCode::kUnsupported, "it left no arguments to run it again");
  }
  if (entry == nullptr || !entry->input.check(arguments)) {
    return fail(ErrorCode::kUnsupported, "this version does not take its arguments");
  }
  if (row.resumed >= kMostResumes) {
    return fail(ErrorCode::kUnsupported, "it was resumed " + std::to_string(row.resumed) +
                                             " times and ended with its server each time");
  }
  arguments["wait_ms"] = 0;
  return arguments;
}

/// The call that made a job, where it was recorded, is no long text, and is one of this version.
Json again_step(const ToolRegistry& registry, const std::string& tool,
                const std::string& recorded) {
  Json arguments = Json::parse(recorded, nullptr, false);
  const ToolRegistry::Entry* entry = registry.find(tool);
  const bool whole = entry != nullptr && arguments.is_object() && recorded.size() <= kMaxShown &&
                     entry->input.check(arguments).has_value();
  return whole ? next_step(tool, std::move(arguments), "start again with its arguments")
               : advice("to start again, send " + tool + " its arguments once more");
}

JobNotice interrupted(const ToolRegistry& registry, const JobRow& row, const std::string& why) {
  return {.job_id = row.id,
          .status = "interrupted",
          .summary = row.tool + " was interrupted: its server is gone, and " + why,
          .next_step = again_step(registry, row.tool, row.arguments)};
}

/// The answer to a cancel that takes back one client's wish only.
JobNotice wanted_by_others(const JobSnapshot& job) {
  return {.job_id = job.id,
          .status = std::string(name_of(job.state)),
          .summary = "the job continues: others asked the same question and want its result",
          .next_step = next_step("job", {{"job_id", job.id}, {"action", "status"}},
                                 "see how far it is; a call of yours that still waits for it has "
                                 "to be cancelled itself")};
}

JobResult result_of(JobNotice notice) {
  return {.answer = {}, .notice = std::move(notice)};
}

JobAction action_of(const std::string& word) {
  return word == "cancel"   ? JobAction::kCancel
         : word == "list"   ? JobAction::kList
         : word == "status" ? JobAction::kStatus
                            : JobAction::kWait;
}

std::string_view word_of(JobAction action) {
  return action == JobAction::kCancel   ? "cancel"
         : action == JobAction::kStatus ? "ask about"
                                        : "wait for";
}

}  // namespace

void from_json(const Json& arguments, JobParams& params) {
  params.common = common_params(arguments);
  params.job_id = arguments.value("job_id", "");
  params.cursor = arguments.value("cursor", "");
  params.action = action_of(arguments.value("action", "wait"));
}

void to_json(Json& answer, JobResult result) {
  if (!result.notice) {
    answer = std::move(result.answer);
    return;
  }
  JobNotice& notice = *result.notice;
  answer = finished(notice.summary, {{"job_id", notice.job_id}}, {std::move(notice.next_step)});
  answer["status"] = notice.status;
}

JobTool::JobTool(Services& services, const ToolRegistry& registry)
    : TypedTool(job_schema()),
      services_(services),
      registry_(registry) {}

bool JobTool::only_reads(const Json& arguments) const {
  return arguments.value("action", Json()) != "cancel";
}

bool JobTool::is_elsewhere(const JobRow& row) const {
  return row.instance != services_.instance->id() && services_.instance->lives(row.instance);
}

Result<JobResult> JobTool::cancel_recorded(const std::string& id) {
  WS_TRY(JobRow row, services_.archive->job(id));
  if (is_over(row)) {
    WS_TRY(Json outcome, recorded_outcome(row));
    return JobResult{.answer = std::move(outcome)};
  }
  if (is_elsewhere(row)) {
    return fail(ErrorCode::kConflict, "the job runs in another server on this data folder",
                "cancel it there");
  }
  const Viewer& viewer = current_viewer();
  if (!row.owner.empty() && row.owner != viewer.owner && !viewer.sees_all) {
    return fail(ErrorCode::kConflict, "the job belongs to another principal",
                "only that one, or an administrator, can cancel it");
  }
  row.status = name_of(JobState::kCancelled);
  const Error error{ErrorCode::kCancelled, "the job was cancelled", {}, {}};
  row.json = outcome_json(fail(error)).dump();
  row.updated_ms = 0;
  WS_CHECK(services_.archive->put_job(row));
  return result_of({.job_id = id,
                    .status = row.status,
                    .summary = "the job is cancelled",
                    .next_step = again_step(registry_, row.tool, row.arguments)});
}

Result<JobResult> JobTool::cancel(const std::string& id, const std::string& client) {
  if (services_.node_jobs != nullptr) {
    WS_TRY(const std::optional<JobSnapshot> job, services_.node_jobs->cancel(id, client));
    if (job) {
      return cancelled(*job);
    }
  }
  auto released = services_.jobs->release(id, client);
  if (!released && released.error().code == ErrorCode::kNotFound) {
    return cancel_recorded(id);
  }
  WS_TRY(const JobSnapshot job, std::move(released));
  return cancelled(job);
}

JobResult JobTool::cancelled(const JobSnapshot& job) {
  if (!is_final(job.state) && !job.stopping) {
    return result_of(wanted_by_others(job));
  }
  const bool ended = is_final(job.state) && job.state != JobState::kCancelled;
  const Result<JobRow> row = services_.archive->job(job.id);
  return result_of(
      {.job_id = job.id,
       .status = std::string(name_of(ended ? job.state : JobState::kCancelled)),
       .summary = ended ? "the job had ended before it could be cancelled" : "the job is cancelled",
       .next_step = again_step(registry_, job.tool, row ? row->arguments : std::string())});
}

Status JobTool::require_own(const std::string& id) const {
  if (services_.node_jobs != nullptr) {
    return {};
  }
  WS_TRY(const bool elsewhere, nodes_have(services_.options.store, id));
  return elsewhere ? fail(ErrorCode::kConflict, "the job `" + id + "` is one of nodes",
                          "ask a server with --run-on nodes for it")
                   : Status();
}

Result<std::optional<JobResult>> JobTool::resume(const JobRow& row, const CallContext& context) {
  WS_CHECK(require_own(row.id));
  const ToolRegistry::Entry* entry = registry_.find(row.tool);
  Result<Json> arguments = arguments_of(row, entry);
  if (!arguments) {
    return std::optional(result_of(interrupted(registry_, row, arguments.error().message)));
  }
  WS_TRY(const bool claimed, services_.archive->claim_job(row, services_.instance->id()));
  if (!claimed) {
    return std::optional<JobResult>();
  }
  CallContext own = context.part(context.progress);
  own.job_id = row.id;
  // It goes on for its owner, also when somebody else asks.
  const ViewerScope viewer(row.owner.empty()
                               ? nullptr
                               : std::make_shared<const Viewer>(Viewer{
                                     .owner = row.owner, .sees_all = false, .shares = row.shared}));
  Result<Json> output = entry->tool->call(*arguments, own);
  if (services_.jobs->snapshot(row.id)) {
    return std::optional<JobResult>();
  }
  const bool later = !output && (output.error().code == ErrorCode::kBusy ||
                                 output.error().code == ErrorCode::kCancelled);
  if (!later) {  // Known by now, or not possible any more: the job's outcome, without a job.
    JobRow ended = row;
    ended.status = name_of(output ? JobState::kDone : JobState::kFailed);
    ended.json = outcome_json(output).dump(-1, ' ', false, Json::error_handler_t::replace);
    ended.updated_ms = 0;
    WS_CHECK(services_.archive->put_job(ended));
  }
  WS_TRY(Json body, std::move(output));
  return std::optional(JobResult{.answer = std::move(body)});
}

Result<std::optional<JobResult>> JobTool::answer_of_node(const std::string& id,
                                                         std::chrono::milliseconds wait,
                                                         const std::string& client) {
  if (services_.node_jobs == nullptr) {
    return std::optional<JobResult>();
  }
  const Result<JobSnapshot> job = services_.node_jobs->look(id);
  if (!job) {
    return job.error().code == ErrorCode::kNotFound
               ? Result<std::optional<JobResult>>(std::nullopt)
               : Result<std::optional<JobResult>>(fail(job.error()));
  }
  if (job->outcome) {
    WS_TRY(const std::string output, *job->outcome);
    return std::optional(JobResult{.answer = Json::parse(output, nullptr, false)});
  }
  if (wait.count() == 0) {
    return std::optional(JobResult{.answer = unfinished(*job)});
  }
  WS_TRY([[maybe_unused]] const bool known, services_.node_jobs->attach(id, client));
  return std::optional<JobResult>();
}

Result<JobResult> JobTool::answer(const std::string& id, Clock::time_point deadline,
                                  CallContext& context) {
  for (;;) {
    const auto left =
        std::max(std::chrono::milliseconds(0),
                 std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    if (services_.jobs->snapshot(id)) {
      WS_TRY(Json told, wait_for_job(services_, id, left, context));
      return JobResult{.answer = std::move(told)};
    }
    WS_TRY(std::optional<JobResult> by_node, answer_of_node(id, left, context.caller.client));
    if (by_node) {
      return *std::move(by_node);
    }
    if (services_.jobs->snapshot(id)) {
      continue;  // This server waits for the node, too, now.
    }
    WS_TRY(const JobRow row, services_.archive->job(id));
    if (is_over(row)) {
      WS_TRY(Json outcome, recorded_outcome(row));
      return JobResult{.answer = std::move(outcome)};
    }
    if (!is_elsewhere(row)) {
      WS_TRY(std::optional<JobResult> known, resume(row, context));
      if (known) {
        return *std::move(known);
      }
      continue;
    }
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    if (left.count() == 0) {
      return JobResult{.answer = unfinished(row.tool, id, JobState::kRunning,
                                            "runs in another server on this data folder")};
    }
    const auto pause = std::min(left, kPoll);
    if (context.later != nullptr) {
      context.later->wait = [this, pause, stop = context.stop](const std::function<void()>& over) {
        services_.jobs->after(pause, stop, over);
      };
      context.later->go_on = [this, id, deadline](CallContext& own) -> Result<Json> {
        WS_TRY(JobResult result, answer(id, deadline, own));
        return Json(std::move(result));
      };
      return JobResult();
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<JobResult> JobTool::run(const JobParams& params, CallContext& context) {
  if (params.action == JobAction::kList) {
    return page(context.caller.client, params.cursor);
  }
  if (params.job_id.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "missing field `job_id`: the job to " + std::string(word_of(params.action)),
                R"(to see your jobs: {"action": "list"})");
  }
  if (params.action == JobAction::kCancel) {
    return cancel(params.job_id, context.caller.client);
  }
  const auto wait =
      params.action == JobAction::kStatus ? std::chrono::milliseconds(0) : params.common.wait;
  return answer(params.job_id, Clock::now() + wait, context);
}

}  // namespace ws
