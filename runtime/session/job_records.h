// Jobs whose id a client was given, as rows of the archive: they can be asked for after the server
// has forgotten them, or has been restarted.
#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "runtime/archive/store/archive.h"
#include "runtime/queue/job_queue.h"

namespace ws {

/// The question that a job answers.
struct JobQuestion {
  /// The kernels and problems that it names are not collected while it runs.
  std::string text;
  std::shared_ptr<const nlohmann::json>
      arguments;         ///< The arguments of its tool; null: no other server can continue it.
  std::string client{};  ///< Is told the job's id.
};

/// Writes down that a client knows this job. Before the id leaves the server.
/// @param instance  Of this server.
/// @param question  Only the first time counts. @errors kIo.
Status record_job_promise(Archive& archive, const std::string& instance, const JobSnapshot& job,
                          const JobQuestion& question);

/// Writes the outcome of a job that was promised; others leave no row, and one that ended because
/// the server did stays unfinished. Logs what goes wrong.
void record_job_end(Archive& archive, const JobSnapshot& job);

/// How a job's outcome is kept in its row: {"output"} or the error.
nlohmann::json outcome_json(const Result<nlohmann::json>& outcome);

/// Whether the job has ended.
bool is_over(const JobRow& row);

/// The outcome of a job that the queue does not know any more.
/// @errors kDeviceLost: it is not over; what the job itself ended with.
Result<nlohmann::json> recorded_outcome(const JobRow& row);

}  // namespace ws
