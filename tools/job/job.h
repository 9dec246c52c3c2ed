// job: wait for, ask about, cancel or list jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/session/services.h"
#include "tools/answer/envelope.h"
#include "tools/job_book.h"
#include "tools/registry.h"
#include "tools/sometimes_reads.h"
#include "tools/typed_tool.h"

namespace ws {

enum class JobAction : std::uint8_t { kWait, kStatus, kCancel, kList };

/// The arguments of `job`.
struct JobParams {
  CommonParams common;
  std::string job_id;  ///< Empty: for kList.
  JobAction action = JobAction::kWait;
  std::string cursor;  ///< The page of the list that it begins; empty: the first.
};

void from_json(const Json& arguments, JobParams& params);

/// Said of a job itself, where its tool says nothing.
struct JobNotice {
  std::string job_id;
  std::string status;  ///< "interrupted", or the name of a JobState.
  std::string summary;
  Json next_step;
};

struct JobResult {
  Json answer;                                     ///< The tool's answer, or the job's progress.
  std::optional<JobNotice> notice = std::nullopt;  ///< In place of the answer.
};

/// The whole answer.
void to_json(Json& answer, JobResult result);

class JobTool : public TypedTool<JobParams, JobResult>, public JobBook, public SometimesReads {
 public:
  /// @param registry  The registry of this tool, with the tools whose jobs it continues. Outlives
  /// it.
  JobTool(Services& services, const ToolRegistry& registry);

  Result<JobStanding> look_up(const std::string& id, const CallContext& context) override;
  bool knows(const std::string& id) override;
  Result<JobStanding> give_up(const std::string& id, const CallContext& context) override;
  Result<JobPage> list(const std::string& client, std::int64_t from, std::size_t most) override;
  Result<JobStanding> keep(const std::string& tool, const Result<Json>& outcome,
                           const std::string& client) override;
  bool watch(const std::string& id, const std::stop_token& stop,
             std::function<void(const JobStanding&)> changed) override;
  [[nodiscard]] bool only_reads(const Json& arguments) const override;

 protected:
  Result<JobResult> run(const JobParams& params, CallContext& context) override;

 private:
  Result<JobResult> cancel(const std::string& id, const std::string& client);
  /// The answer to a client that does not want the job any more.
  JobResult cancelled(const JobSnapshot& job);
  Result<JobResult> cancel_recorded(const std::string& id);
  Result<JobResult> page(const std::string& client, const std::string& cursor);

  /// The answer of a job that a node has, or its state where nobody waits. Nothing: no node has it,
  /// or the queue knows it now.
  Result<std::optional<JobResult>> answer_of_node(const std::string& id,
                                                  std::chrono::milliseconds wait,
                                                  const std::string& client);

  /// How a job stands that a node has. Nothing: none has.
  std::optional<JobSnapshot> on_node(const std::string& id);

  /// The job's answer, wherever it runs, or its state at `deadline`.
  Result<JobResult> answer(const std::string& id, Clock::time_point deadline, CallContext& context);

  /// Begins the job again after its server ended: an answer where there is one at once, which has
  /// been recorded. Nothing: it is in the queue now, or another server was faster.
  Result<std::optional<JobResult>> resume(const JobRow& row, const CallContext& context);
  /// @errors kConflict: nodes do the job, and this server has none.
  [[nodiscard]] Status require_own(const std::string& id) const;

  /// Whether a live server that is not this one has it.
  [[nodiscard]] bool is_elsewhere(const JobRow& row) const;

  Services& services_;
  const ToolRegistry& registry_;
};

}  // namespace ws
