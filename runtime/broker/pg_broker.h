// The broker of an archive in PostgreSQL: its queue is a table beside the archive's, and its
// functions are those of runtime/archive/store/postgres_nodes.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/broker/connection_pool.h"
#include "runtime/broker/job_broker.h"
#include "runtime/broker/notice_wait.h"

namespace ws {

/// No method takes the lock of the archive's writers.
class PgBroker final : public JobBroker {
 public:
  /// The archive of the URL must have been opened: it makes the tables. Connects when it is first
  /// used. @param connections  At most, beside one that listens.
  PgBroker(const std::string& url, std::size_t connections);

  Result<Submitted> submit(const NodeJob& job) override;
  Result<std::vector<NodeJobView>> look(const std::vector<std::string>& ids) override;
  Status want(const std::string& id, const std::string& client) override;
  Result<Withdrawal> withdraw(const std::string& id) override;
  Result<Withdrawal> cancel(const std::string& id, const std::string& client,
                            bool wanted_here) override;
  Result<std::vector<OfferedDevice>> devices() override;
  Result<JobNews> wait(std::chrono::milliseconds most, const std::stop_token& stop) override;
  Status enter(const NodeInfo& node) override;
  Result<ClaimOutcome> claim(const NodeInfo& node) override;
  Result<BeatOutcome> beat(const NodeInfo& node, const std::vector<WorkLease>& held) override;
  Status progress(const WorkLease& lease, const Progress& progress) override;
  Result<bool> finish(const WorkLease& lease, NodeFinish how, const std::string& result,
                      double took_ms) override;
  Result<JobNews> wait_for_work(std::chrono::milliseconds most,
                                const std::stop_token& stop) override;
  Status leave(const NodeInfo& node) override;
  Result<std::int64_t> forget_ended() override;
  Result<std::vector<NodeRow>> nodes() override;

 private:
  /// Sends a notice. One that is lost is repaired by those who look without one, now and then.
  void tell(const char* channel, const std::string& what);
  /// @param client  Nothing: no further one.
  Result<Withdrawal> take_back(const std::string& id, const std::optional<std::string>& client,
                               bool wanted_here);

  const std::string front_;  ///< Names this process where it wants jobs.
  ConnectionPool connections_;
  NoticeWait jobs_;
  NoticeWait work_;
};

}  // namespace ws
