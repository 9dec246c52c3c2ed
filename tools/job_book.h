// The jobs of a server as clients know them: by their ids, each with its history. For protocols
// that have a form of their own for work which goes on after its call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace ws {

/// An additional interface of tools whose calls may answer with a job: {status, job_id, ...}, where
/// status is queued or running. They take `wait_ms`.
class MakesJobs {
 public:
  virtual ~MakesJobs() = default;
};

/// How one job stands.
struct JobStanding {
  std::string id;
  std::string tool;
  std::string status;      ///< queued, running, done, cancelled, failed or interrupted.
  std::string message;     ///< "waits behind 2 jobs", "40 %: timing, 2 of 8", or how it ended.
  std::string created_at;  ///< As timestamp_now().
  std::string updated_at;  ///< The same.
  std::optional<Result<Json>> outcome{};  ///< Set where it has ended, but not in a list.

  [[nodiscard]] bool is_over() const { return status != "queued" && status != "running"; }
};

struct JobPage {
  std::vector<JobStanding> jobs;  ///< The newest first.
  std::int64_t next = 0;          ///< The place where the next page begins; 0: this was the last.
};

/// Any thread.
class JobBook {
 public:
  virtual ~JobBook() = default;

  /// A job of a server that is gone is begun again, where that is possible.
  /// @errors kNotFound: unknown, or forgotten.
  virtual Result<JobStanding> look_up(const std::string& id, const CallContext& context) = 0;

  /// Whether this thread's viewer (viewer.h) sees a job of that id.
  virtual bool knows(const std::string& id) = 0;

  /// Takes back a client's wish for the job: that ends it, unless others want it.
  /// @errors kNotFound; kConflict: it runs in another server.
  virtual Result<JobStanding> give_up(const std::string& id, const CallContext& context) = 0;

  /// The jobs that the client knows. @param from  JobPage::next; 0: from the newest.
  virtual Result<JobPage> list(const std::string& client, std::int64_t from, std::size_t most) = 0;

  /// Makes a job of an outcome that is there already, which the client can ask for from now on.
  virtual Result<JobStanding> keep(const std::string& tool, const Result<Json>& outcome,
                                   const std::string& client) = 0;

  /// Calls `changed` when the job stands differently, the last time when it is over, until `stop`
  /// is requested. It comes from a thread that all share, without the outcome, and must not block.
  /// @return  False: this server does not run the job.
  virtual bool watch(const std::string& id, const std::stop_token& stop,
                     std::function<void(const JobStanding&)> changed) = 0;
};

}  // namespace ws
