#include "tools/answer/envelope.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/text.h"
#include "runtime/session/node_jobs.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

constexpr int kPollAfterMs = 1000;

Result<Json> parsed_outcome(const JobSnapshot& ended) {
  WS_TRY(const std::string output, *ended.outcome);
  return Json::parse(output, nullptr, false);
}

/// The answer of a call once its wait is over.
Result<Json> answer_of(Services& services, const JobTicket& ticket, const JobQuestion& question,
                       const Result<JobSnapshot>& waited, const CallContext& context) {
  if (!waited && waited.error().code == ErrorCode::kNotFound) {
    WS_TRY(const JobRow row, services.archive->job(ticket.job));
    return recorded_outcome(row);
  }
  WS_TRY(const JobSnapshot job, waited);
  if (job.outcome) {
    return parsed_outcome(job);
  }
  if (context.stop.stop_requested()) {
    services.jobs->leave(ticket);
    return fail(ErrorCode::kCancelled, "the call was cancelled");
  }
  if (const Status put =
          record_job_promise(*services.archive, services.instance->id(), job, question);
      !put) {
    services.jobs->leave(ticket);  // Nobody will learn its id.
    return fail(put.error());
  }
  if (ticket.number != 0) {
    services.jobs->hold(ticket, context.caller.client);
  }
  // A job that ended before the promise was there left no record of its end.
  const auto again = services.jobs->wait(ticket.job, std::chrono::milliseconds(0), CallContext{});
  if (again && again->outcome) {
    record_job_end(*services.archive, *again);
    return parsed_outcome(*again);
  }
  return unfinished(job);
}

/// Waits where the call may, else leaves the wait to the caller.
Result<Json> wait_with(Services& services, const JobTicket& ticket, const JobQuestion& question,
                       std::chrono::milliseconds wait, const CallContext& context) {
  if (context.later == nullptr || wait.count() == 0) {
    return answer_of(services, ticket, question, services.jobs->wait(ticket.job, wait, context),
                     context);
  }
  CallContext watching = context;
  watching.later = nullptr;
  context.later->wait = [&services, id = ticket.job, wait,
                         watching](const std::function<void()>& over) {
    if (!services.jobs->watch(id, wait, watching, over)) {
      over();  // Forgotten, so in the archive.
    }
  };
  context.later->go_on = [&services, ticket, question](CallContext& own) {
    // Its progress has been reported.
    const Result<JobSnapshot> waited =
        services.jobs->wait(ticket.job, std::chrono::milliseconds(0), CallContext{});
    return answer_of(services, ticket, question, waited, own);
  };
  return Json();
}

}  // namespace

Json common_arguments(const CommonParams& common) {
  Json arguments = Json::object();
  if (!common.device.empty()) {
    arguments["device"] = common.device;
  }
  if (common.full) {
    arguments["detail"] = "full";
  }
  if (common.fresh) {
    arguments["fresh"] = true;
  }
  return arguments;
}

std::vector<std::string> lanes_of(const std::vector<Device*>& devices) {
  std::vector<std::string> lanes;
  lanes.reserve(devices.size());
  for (const Device* device : devices) {
    lanes.push_back(device->id);
  }
  return lanes;
}

std::string join_key(const Json& arguments, const std::string& kernel_id) {
  Json key = arguments;
  key.erase("wait_ms");
  if (!kernel_id.empty()) {
    key["kernel_id"] = kernel_id;
  }
  return key.dump();
}

Result<Json> run_job(Services& services, const JobStart& start, CallContext& context,
                     std::function<Result<Json>(CallContext&)> work) {
  const JobWork job = [work = std::move(work),
                       batch = context.batch](CallContext& own) -> Result<std::string> {
    own.batch = batch;
    WS_TRY(const Json output, guarded([&] { return work(own); }));
    return output.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const std::string key = start.common.fresh ? std::string() : start.tool + "\n" + start.key;
  const JobRequest request{.lanes = start.lanes,
                           .tool = start.tool,
                           .key = key,
                           .caller = context.caller,
                           .id = context.job_id,
                           .shares = context.shares ? context.batch : std::string()};
  WS_CHECK(services.lines->check_room());  // The results of the work are kept in any case.
  WS_TRY(const JobTicket ticket, services.jobs->join(request, job));
  return wait_with(services, ticket, {start.key, start.common.asked, context.caller.client},
                   start.common.wait, context);
}

Result<Json> answer_by_node(Services& services, const std::string& tool, const Json& arguments,
                            const CallContext& context) {
  const CommonParams common = common_params(arguments);
  WS_CHECK(services.lines->check_room());
  WS_TRY(const JobTicket ticket,
         services.node_jobs->submit(tool, *common.asked, common.device, !common.fresh, context));
  return wait_with(services, ticket,
                   {tool + "\n" + join_key(arguments), common.asked, context.caller.client},
                   common.wait, context);
}

Json unfinished(const JobSnapshot& job) {
  const bool queued = job.state == JobState::kQueued;
  Json form = unfinished(
      job.tool, job.id, job.state,
      queued ? place_in_line(job.queue_position)
             : "is at " + std::to_string(std::lround(100 * job.progress.fraction)) + " %");
  Json& progress = form["progress"];
  progress = {{"fraction", rounded(job.progress.fraction)},
              {"message", job.progress.message},
              {"queue_position", job.queue_position}};
  if (job.eta_ms) {
    progress["eta_ms"] = std::llround(*job.eta_ms);
  }
  if (!job.progress.partial.empty()) {
    form["partial"] = Json::parse(job.progress.partial, nullptr, false);
  }
  return form;
}

Result<Json> wait_to_end(Services& services, Result<Json> answer, const CallContext& context) {
  while (answer && (*answer)["status"] != "done" && answer->contains("job_id")) {
    answer = wait_for_job(services, (*answer)["job_id"], kLongestWait, context);
  }
  return answer;
}

Json unfinished(const std::string& tool, const std::string& id, JobState state,
                const std::string& where) {
  return {{"summary", tool + " " + where + "; ask again with job"},
          {"status", name_of(state)},
          {"job_id", id},
          {"poll_after_ms", kPollAfterMs},
          {"links", Json::array()},
          {"next_steps",
           {next_step("job", {{"job_id", id}, {"action", "wait"}}, "wait for the result")}}};
}

CommonParams common_params(const Json& arguments) {
  CommonParams common;
  common.device = arguments.value("device", "");
  const std::int64_t wait_ms = common.wait.count();
  common.wait = std::chrono::milliseconds(arguments.value("wait_ms", wait_ms));
  common.full = arguments.value("detail", "concise") == "full";
  common.fresh = arguments.value("fresh", false);
  Json asked = arguments;
  asked.erase("wait_ms");
  common.asked = std::make_shared<const Json>(std::move(asked));
  return common;
}

Json next_step(const std::string& tool, Json arguments, const std::string& why) {
  return {{"tool", tool}, {"arguments", std::move(arguments)}, {"why", why}};
}

Json finished(const std::string& summary, Json body, std::vector<Json> next_steps) {
  body["summary"] = summary;
  body["status"] = "done";
  body["next_steps"] = std::move(next_steps);
  if (!body.contains("links")) {
    body["links"] = Json::array();
  }
  return body;
}

Result<Json> wait_for_job(Services& services, const std::string& id, std::chrono::milliseconds wait,
                          const CallContext& context) {
  if (wait.count() > 0) {
    services.jobs->hold(id, context.caller.client);
  }
  return wait_with(services, {id, 0}, {{}, nullptr, context.caller.client}, wait, context);
}

}  // namespace ws
