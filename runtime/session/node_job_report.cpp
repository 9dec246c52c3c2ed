#include "runtime/session/node_job_report.h"

#include <nlohmann/json.hpp>

#include "runtime/session/job_records.h"

namespace ws {
namespace {

/// The outcome of a job that has ended.
Result<std::string> node_outcome(const NodeJobView& view) {
  if (view.state == NodeJobState::kCancelled) {
    return fail(ErrorCode::kCancelled, "the job was cancelled");
  }
  if (view.state == NodeJobState::kLost) {
    return fail(ErrorCode::kDeviceLost,
                std::to_string(kNodeAttempts) + " nodes ended with the job, the last one was `" +
                    view.node + "`",
                "see why with `warpsmith nodes` and their logs, before it is called again");
  }
  const JobRow row{.id = view.id,
                   .tool = view.tool,
                   .status = std::string(name_of(view.state)),
                   .json = view.result,
                   .created_at = {}};
  WS_TRY(const nlohmann::json output, recorded_outcome(row));
  return output.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

JobReport report_of(const NodeJobView& view) {
  JobReport report{
      .id = view.id,
      .state = view.state == NodeJobState::kRunning ? JobState::kRunning : JobState::kQueued,
      .progress = view.progress,
      .queue_position = static_cast<std::size_t>(view.position)};
  if (view.state != NodeJobState::kRunning && view.state != NodeJobState::kQueued) {
    report.outcome = node_outcome(view);
    report.state = view.state == NodeJobState::kDone        ? JobState::kDone
                   : view.state == NodeJobState::kCancelled ? JobState::kCancelled
                                                            : JobState::kFailed;
  }
  return report;
}

}  // namespace ws
