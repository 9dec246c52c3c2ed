// A node: claims jobs of the broker, has this process's tools do them, and says that it lives. It
// opens no port.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/broker/job_broker.h"
#include "runtime/session/services.h"
#include "tools/registry.h"

namespace ws::server {

struct NodeLimits {
  std::size_t jobs = 2;                        ///< At the same time.
  std::chrono::milliseconds idle_exit{0};      ///< Ends after so long without work; 0: never.
  std::chrono::milliseconds beat = kNodeBeat;  ///< Between signs of life.
};

/// Any thread, but for run().
class NodeWorker {
 public:
  /// All outlive it.
  NodeWorker(JobBroker& broker, Services& services, const ToolRegistry& tools, NodeInfo node,
             NodeLimits limits);
  NodeWorker(const NodeWorker&) = delete;
  NodeWorker& operator=(const NodeWorker&) = delete;
  ~NodeWorker();

  /// Works until it is told to stop, has been idle for long, or its work is refused. Jobs that
  /// still run are given back. @errors kConflict: the node was revoked, or its name is another
  /// process's now; those of JobBroker::enter().
  Status run();

  /// Claims no more. run() ends when the last job has.
  void drain();

  /// Gives back what runs.
  void stop();

  /// Nothing runs.
  [[nodiscard]] bool idle();

 private:
  /// Why a job was told to end.
  enum class Ending : std::uint8_t { kNone, kCancelled, kGivenBack, kLost };

  struct Running {
    WorkLease lease;
    std::stop_source stop;
    Ending ending = Ending::kNone;  // guarded by mutex_
    std::optional<NodeClaim> next;  // guarded by mutex_; the same job, claimed again meanwhile
    std::jthread thread;
  };

  Status work();
  /// Claims one job. @return  How long to wait for the next try; nothing: at once.
  std::optional<std::chrono::milliseconds> claim_next();
  /// How long this node must not claim yet; nothing: it may.
  std::optional<std::chrono::milliseconds> held_off();
  /// Starts a job, or ends an attempt at it that still runs here and starts it after that.
  void begin(NodeClaim claim);
  /// Under the lock.
  void start(NodeClaim claim);
  [[nodiscard]] WorkLease lease_of(const NodeClaim& claim) const;
  void run_job(Running& job, const NodeClaim& claim);
  /// A job's thread ends: what was claimed meanwhile begins, or is given back.
  void leave(const std::string& id);
  Result<nlohmann::json> call_tool(const NodeClaim& claim, Running& job);
  void finish(Running& job, const Result<nlohmann::json>& outcome, double took_ms);
  /// After a job that another node may do better this one waits, the longer the more such jobs
  /// follow each other: else one without its device would take all of them.
  void note_end(const std::string& id, NodeFinish how);
  void end(Running& job, Ending why);
  void end_all(Ending why);
  void end_leases(const std::vector<WorkLease>& leases, Ending why);
  void note_beat(const BeatOutcome& outcome);
  /// @return  Whether the broker was told.
  bool beat();
  /// A little, where it is time. @return  When it is again.
  Clock::time_point forget_some(Clock::time_point due);
  void beat_until(const std::stop_token& stop);
  /// @return  Whether it could be reached before.
  bool note_unreachable();
  void cancel(const std::vector<std::string>& ids);
  void join_ended();
  std::stop_token next_wake();
  [[nodiscard]] bool is_full();

  JobBroker& broker_;
  Services& services_;
  const ToolRegistry& tools_;
  const NodeInfo node_;
  const NodeLimits limits_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, std::shared_ptr<Running>> running_;  // guarded by mutex_; by job
  std::vector<std::shared_ptr<Running>> ended_;              // guarded by mutex_; to be joined
  std::stop_source wake_;                                    // guarded by mutex_
  Clock::time_point worked_;                                 // guarded by mutex_
  Clock::time_point claims_from_;                            // guarded by mutex_
  std::size_t failures_ = 0;                                 // guarded by mutex_; in a row
  bool reached_ = true;                                      // guarded by mutex_; the broker, last
  bool draining_ = false;                                    // guarded by mutex_
  bool stopped_ = false;                                     // guarded by mutex_
  bool refused_ = false;                                     // guarded by mutex_
};

}  // namespace ws::server
