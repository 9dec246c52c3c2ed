// The state that a queue keeps of a job and of a lane; for runtime/queue only.
#pragma once

#include <condition_variable>
#include <list>
#include <set>

#include "runtime/base/metrics.h"
#include "runtime/base/viewer.h"
#include "runtime/queue/fair_line.h"
#include "runtime/queue/job_queue.h"
#include "runtime/queue/past_times.h"
#include "runtime/queue/watchers.h"

namespace ws {

struct JobQueue::Job {
  std::string id;
  JobRequest request;
  Lane* lane = nullptr;
  JobWork work;
  JobState state = JobState::kQueued;
  Progress progress;
  /// Reports of results, each with the version that it made; the oldest are forgotten.
  std::deque<std::pair<std::uint64_t, Progress>> results;
  std::uint64_t version = 0;            ///< Changes with state and progress.
  std::int64_t updated_ms = 0;          ///< When it did, since the Unix epoch.
  std::condition_variable_any changed;  ///< The version; hundreds may wait for as many jobs.
  Clock::time_point queued = Clock::now();
  Clock::time_point started;
  std::string asked_by;    ///< The id of the request that it came with; may be empty.
  std::string asked_span;  ///< That request's span; empty: it is not traced.
  ViewerPtr viewer;  ///< The one that asked first, for whom it works; null: one without a name.
  std::size_t waiters = 0;
  std::vector<std::shared_ptr<Watchers::Watch>> watches;
  bool kept = false;                ///< The server itself wants it.
  std::set<std::uint64_t> tickets;  ///< Calls that want it.
  std::set<std::string> holders;    ///< Clients that want it.
  std::stop_source stop;
  bool ending = false;  ///< Somebody ends it: set under the lock, before the stop is requested.
  std::optional<Result<std::string>> outcome;
  bool server_stopped = false;
  std::optional<std::size_t> told_position;  ///< Elsewhere; set where it is mirrored.
  std::list<std::string> in_ended;  ///< Its place in the queue's ended_: its end takes no memory.

  /// Whether the viewer of this thread may know of it.
  [[nodiscard]] bool is_seen() const {
    const Viewer& eyes = current_viewer();
    return eyes.sees_all || !viewer || viewer->shares || viewer->owner == eyes.owner;
  }

  /// Whether it works for the principal of this thread's viewer, and under the same lease.
  [[nodiscard]] bool is_own() const {
    static const Viewer kUnnamed;
    const Viewer& own = viewer ? *viewer : kUnnamed;
    const Viewer& asking = current_viewer();
    return own.owner == asking.owner && own.lease == asking.lease;
  }

  [[nodiscard]] bool is_wanted() const { return kept || !tickets.empty() || !holders.empty(); }

  /// It has been told to stop, or is about to be: no call joins it any more.
  [[nodiscard]] bool is_ending() const { return ending || stop.stop_requested(); }
};

/// All that one waiter was told of a job.
struct JobQueue::Heard {
  std::uint64_t version = 0;
  std::string place{};         ///< In the line; empty: nothing yet.
  Clock::time_point place_at;  ///< When it was told that.

  /// When a waiter that wants to know looks again though nobody calls.
  [[nodiscard]] static Clock::time_point beat(const Job& job, bool wants_progress);
};

/// Guarded by the queue's mutex.
struct JobQueue::Lane {
  explicit Lane(LaneOptions own);

  const LaneOptions options;
  FairLine<std::shared_ptr<Job>> waiting;
  std::condition_variable filled;  ///< One thread is woken for one job, not every lane's.
  std::vector<std::shared_ptr<Job>> running;
  PastTimes past;
  Clock::duration busy{0};       ///< While jobs ran, until busy_since.
  Clock::time_point busy_since;  ///< Where one runs: since when.
  MetricHistogram& waited;
  std::map<JobState, MetricCell*> ended;  ///< How many jobs ended so; fixed after construction.
  std::vector<std::jthread> threads;

  /// A job begins to run.
  void begin(std::shared_ptr<Job> job);

  /// It runs no more.
  void leave(const Job& job);

  [[nodiscard]] LaneState state() const;

  /// Waiting and running.
  [[nodiscard]] std::size_t length() const { return waiting.size() + running.size(); }

  /// Whether the job may start now.
  [[nodiscard]] bool admits(const Job& job) const;

  /// Whether the next job may start now. Later jobs do not overtake it.
  [[nodiscard]] bool is_ready() const { return !waiting.empty() && admits(*waiting.next()); }

  /// The time since `start`, when a job began.
  static double ms_since(Clock::time_point start);

  /// The time that a running job still needs: from its progress, else from jobs of its tool.
  [[nodiscard]] std::optional<double> left_ms(const Job& job) const;

  /// The time until all jobs here have ended, without those whose times are unknown.
  [[nodiscard]] double load_ms() const;

  /// The first job that waits here and may run on the other lane as well; null: none may.
  [[nodiscard]] std::shared_ptr<Job> first_for(const Lane& other) const;

  /// Position and ETA of a waiting job; the ETA of a running one.
  void look_ahead(const Job& job, JobSnapshot& snapshot) const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Job>> order() const;
};

}  // namespace ws
