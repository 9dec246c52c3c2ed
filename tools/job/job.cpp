#include "tools/job/job.h"

#include "tools/common/envelope.h"
#include "tools/common/job_records.h"
#include "tools/job/job_schema.h"
#include "tools/typed_tool.h"

namespace ws {

JobTool::JobTool(Services& services)
    : spec_(parse_spec(job_schema())),
      services_(services) {}

Result<Json> JobTool::cancel(const std::string& id) {
  auto cancelled = services_.jobs->cancel(id);
  if (!cancelled && cancelled.error().code == ErrorCode::kNotFound) {
    return recorded_outcome(*services_.archive, id);
  }
  WS_TRY(const JobSnapshot job, std::move(cancelled));
  const bool ended = is_final(job.state) && job.state != JobState::kCancelled;
  Json body = finished(
      ended ? "the job had ended before it could be cancelled" : "the job is cancelled",
      {{"job_id", id}}, {next_step(job.tool, Json::object(), "start again with its arguments")});
  body["status"] = ended ? name_of(job.state) : name_of(JobState::kCancelled);
  return body;
}

Result<Json> JobTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const std::string id = arguments.at("job_id");
    const std::string action = arguments.value("action", "wait");
    if (action == "cancel") {
      return cancel(id);
    }
    const auto wait =
        action == "status" ? std::chrono::milliseconds(0) : common_params(arguments).wait;
    return wait_for_job(services_, id, wait, context);
  });
}

}  // namespace ws
