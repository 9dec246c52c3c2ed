// A running server as those who operate it see it: numbers, readiness, jobs and sessions.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/archive/store/usage.h"
#include "runtime/session/services.h"
#include "server/access/principals.h"
#include "server/protocol/mcp_server.h"
#include "server/transport/operator_pages.h"

namespace ws::server {

/// Any thread. All methods may read files and wait for locks.
class Operation {
 public:
  /// @param services, server  Outlive it. @errors kIo: the archive cannot be opened once more.
  static Result<std::unique_ptr<Operation>> open(Services& services, const McpServer& server,
                                                 std::string version);

  /// All metrics in the text format of Prometheus.
  [[nodiscard]] std::string metrics() const;

  /// Why the server can take no work now; nothing: it can. Looks once a second at most.
  [[nodiscard]] std::optional<std::string> unready();

  /// {"action": "status"}: the server's version and load, its lanes, jobs, workers and sessions;
  /// {"action": "cancel", "job_id"}: ends a job, whoever wants it.
  /// @errors kInvalidArgument: no such order; kNotFound: no such job.
  [[nodiscard]] Result<Json> admin(const Json& order) const;

  /// Nothing waits, runs or is to be answered.
  [[nodiscard]] bool idle() const;

  /// The quotas of the principals' jobs are these from now on.
  void use_quotas(const Principals& principals) const;

  /// The same as pages of the HTTP server, which must not outlive this.
  [[nodiscard]] OperatorPages pages();

 private:
  Operation(Services& services, const McpServer& server, std::string version,
            std::unique_ptr<ArchiveUsage> usage);

  [[nodiscard]] std::vector<MetricSample> look_up() const;
  [[nodiscard]] Json status() const;
  [[nodiscard]] std::optional<std::string> find_fault() const;

  Services& services_;
  const McpServer& server_;
  const std::string version_;
  const std::unique_ptr<ArchiveUsage> usage_;
  const Clock::time_point started_ = Clock::now();
  const std::int64_t started_ms_;
  std::mutex mutex_;
  std::optional<std::string> fault_;         // guarded by mutex_; as of looked_
  std::optional<Clock::time_point> looked_;  // guarded by mutex_
  std::jthread counting_;                    // the compile cache, which may be large
};

}  // namespace ws::server
