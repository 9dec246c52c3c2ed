#include "runtime/queue/job_queue.h"

#include <algorithm>
#include <exception>

#include "runtime/base/hash.h"
#include "runtime/base/log.h"

namespace ws {
namespace {

constexpr std::size_t kIdDigits = 32;
/// Ended jobs kept in memory; older ones are in the archive.
constexpr std::size_t kEndedKept = 1000;
constexpr std::size_t kResultsKept = 1000;  // As many as a batch has.
constexpr std::chrono::seconds kProgressBeat{10};
constexpr const char* kServerStopped = "the server stopped";

Result<std::string> run_guarded(const JobWork& work, CallContext& context) {
  try {
    return work(context);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, "a job ended with an exception", {}, error.what());
  }
}

}  // namespace

struct JobQueue::Job {
  std::string id;
  std::string tool;
  std::string key;
  Lane* lane = nullptr;
  JobWork work;
  JobState state = JobState::kQueued;
  Progress progress;
  /// Reports of results, each with the version that it made; the oldest are forgotten.
  std::deque<std::pair<std::uint64_t, Progress>> results;
  std::uint64_t version = 0;  ///< Changes with state and progress.
  Clock::time_point started;
  std::size_t waiters = 0;
  std::stop_source stop;
  std::optional<Result<std::string>> outcome;
};

struct JobQueue::Lane {
  LaneOptions options;
  std::deque<std::shared_ptr<Job>> waiting;
  std::condition_variable filled;  ///< One thread is woken for one job, not every lane's.
  std::size_t running = 0;
  std::vector<std::jthread> threads;
};

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kCancelled:
      return "cancelled";
    case JobState::kFailed:
      break;
  }
  return "failed";
}

bool is_final(JobState state) {
  return state != JobState::kQueued && state != JobState::kRunning;
}

JobQueue::JobQueue(std::vector<LaneOptions> lanes, std::function<void(const JobSnapshot&)> on_final)
    : on_final_(std::move(on_final)) {
  for (LaneOptions& options : lanes) {
    auto lane = std::make_unique<Lane>();
    lane->options = std::move(options);
    Lane& placed = *lane;
    lanes_[placed.options.name] = std::move(lane);
    for (std::size_t i = 0; i < placed.options.threads; ++i) {
      placed.threads.emplace_back([this, &placed] { lane_main(placed); });
    }
  }
}

JobQueue::~JobQueue() {
  stop();
  for (const auto& [name, lane] : lanes_) {
    lane->threads.clear();  // Joins.
  }
}

void JobQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [id, job] : jobs_) {
      job->stop.request_stop();
    }
  }
  changed_.notify_all();
  for (const auto& [name, lane] : lanes_) {
    lane->filled.notify_all();
  }
}

Result<std::string> JobQueue::submit(const std::string& lane_name, const std::string& tool,
                                     const std::string& key, JobWork work) {
  const auto at = lanes_.find(lane_name);
  if (at == lanes_.end()) {
    return fail(ErrorCode::kNotFound, "no queue for `" + lane_name + "`");
  }
  Lane& lane = *at->second;
  const std::lock_guard lock(mutex_);
  if (stopping_) {
    return fail(ErrorCode::kBusy, "the server is stopping");
  }
  for (const auto& [id, job] : open_) {
    const bool same = !key.empty() && job->key == key && job->lane == &lane;
    if (same && !is_final(job->state) && !job->stop.stop_requested()) {
      return id;
    }
  }
  if (lane.waiting.size() >= lane.options.capacity) {
    return fail(ErrorCode::kBusy,
                "the queue of " + lane_name + " is full (" + std::to_string(lane.options.capacity) +
                    " jobs wait)",
                "call again later");
  }
  auto job = std::make_shared<Job>();
  job->id = "job_" + random_hex(kIdDigits);
  job->tool = tool;
  job->key = key;
  job->lane = &lane;
  job->work = std::move(work);
  jobs_[job->id] = job;
  open_[job->id] = job;
  lane.waiting.push_back(job);
  lane.filled.notify_one();
  return job->id;
}

void JobQueue::note_progress(Job& job, const Progress& progress) {
  ++job.version;
  std::string partial = progress.partial.empty() ? job.progress.partial : progress.partial;
  job.progress = progress;
  if (progress.is_result) {
    job.results.emplace_back(job.version, progress);
    job.results.back().second.partial.clear();  // Who wants it asks for the newest.
  }
  if (job.results.size() > kResultsKept) {
    job.results.pop_front();
  }
  job.progress.partial = std::move(partial);
}

std::vector<Progress> JobQueue::reports_since(const Job& job, std::uint64_t seen) {
  std::vector<Progress> reports;
  for (const auto& [version, progress] : job.results) {
    if (version > seen) {
      reports.push_back(progress);
    }
  }
  const bool told = !reports.empty() && job.progress.is_result;
  if (!is_final(job.state) && !told) {
    reports.push_back(job.progress);
  }
  return reports;
}

void JobQueue::lane_main(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lane.filled.wait(lock, [&] { return stopping_ || !lane.waiting.empty(); });
    if (stopping_) {
      while (!lane.waiting.empty()) {
        const std::shared_ptr<Job> job = lane.waiting.front();
        lane.waiting.pop_front();
        finish(*job, JobState::kCancelled, fail(ErrorCode::kCancelled, kServerStopped), lock);
      }
      return;
    }
    const std::shared_ptr<Job> job = lane.waiting.front();
    lane.waiting.pop_front();
    ++lane.running;
    job->state = JobState::kRunning;
    job->started = Clock::now();
    ++job->version;
    CallContext context{.request_id = job->id, .stop = job->stop.get_token(), .progress = {}};
    context.progress = [this, &job](const Progress& progress) {
      const std::lock_guard guard(mutex_);
      note_progress(*job, progress);
      changed_.notify_all();
    };
    changed_.notify_all();
    lock.unlock();
    Result<std::string> outcome = run_guarded(job->work, context);
    lock.lock();
    --lane.running;
    const bool cancelled = !outcome && outcome.error().code == ErrorCode::kCancelled;
    if (cancelled && stopping_) {
      outcome = fail(ErrorCode::kCancelled, kServerStopped);
    }
    const JobState state = outcome     ? JobState::kDone
                           : cancelled ? JobState::kCancelled
                                       : JobState::kFailed;
    finish(*job, state, std::move(outcome), lock);
  }
}

void JobQueue::finish(Job& job, JobState state, Result<std::string> outcome,
                      std::unique_lock<std::mutex>& lock) {
  job.outcome = std::move(outcome);
  job.work = nullptr;  // What it captured is not needed any more.
  const JobState before = std::exchange(job.state, state);
  JobSnapshot last = snapshot_of(job);
  job.state = before;
  if (on_final_) {
    // What is kept for later is written before anybody is told.
    lock.unlock();
    on_final_(last);
    lock.lock();
  }
  job.state = state;
  ++job.version;
  open_.erase(job.id);
  ended_.push_back(job.id);
  forget_old();
  changed_.notify_all();
}

void JobQueue::forget_old() {
  while (ended_.size() > kEndedKept) {
    jobs_.erase(ended_.front());
    ended_.pop_front();
  }
}

JobSnapshot JobQueue::snapshot_of(const Job& job) const {
  JobSnapshot snapshot{.id = job.id,
                       .tool = job.tool,
                       .state = job.state,
                       .progress = job.progress,
                       .queue_position = 0,
                       .waiters = job.waiters,
                       .eta_ms = std::nullopt,
                       .outcome = std::nullopt};
  if (job.state == JobState::kQueued) {
    const auto& waiting = job.lane->waiting;
    const auto at = std::find_if(waiting.begin(), waiting.end(),
                                 [&](const auto& other) { return other.get() == &job; });
    snapshot.queue_position =
        job.lane->running + static_cast<std::size_t>(std::distance(waiting.begin(), at));
  } else if (job.state == JobState::kRunning && job.progress.fraction > 0) {
    const double spent =
        std::chrono::duration<double, std::milli>(Clock::now() - job.started).count();
    snapshot.eta_ms = spent * (1 - job.progress.fraction) / job.progress.fraction;
  } else if (is_final(job.state)) {
    snapshot.outcome = job.outcome;
  }
  return snapshot;
}

Result<std::shared_ptr<JobQueue::Job>> JobQueue::find(const std::string& id) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`",
                "job ids come from a result with status running; ended jobs are kept for 24 h");
  }
  return at->second;
}

Result<JobSnapshot> JobQueue::wait(const std::string& id, std::chrono::milliseconds wait,
                                   const CallContext& context) {
  std::unique_lock lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  const auto deadline = Clock::now() + wait;
  std::uint64_t seen = job->version;
  ++job->waiters;
  const auto tell = [&] {
    const std::vector<Progress> reports = reports_since(*job, seen);
    seen = job->version;
    lock.unlock();
    for (const Progress& report : reports) {
      context.progress(report);
    }
    lock.lock();
  };
  while (!is_final(job->state) && Clock::now() < deadline && !context.stop.stop_requested()) {
    const auto beat = std::min<Clock::time_point>(deadline, Clock::now() + kProgressBeat);
    changed_.wait_until(lock, context.stop, beat, [&] { return job->version != seen; });
    if (context.progress) {
      tell();
    } else {
      seen = job->version;
    }
  }
  if (context.progress && is_final(job->state)) {
    tell();  // Results of the last moment.
  }
  --job->waiters;
  return snapshot_of(*job);
}

Result<JobSnapshot> JobQueue::snapshot(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  return snapshot_of(*job);
}

Result<JobSnapshot> JobQueue::cancel(const std::string& id) {
  std::unique_lock lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  job->stop.request_stop();
  if (job->state == JobState::kQueued) {
    std::erase(job->lane->waiting, job);
    finish(*job, JobState::kCancelled, fail(ErrorCode::kCancelled, "the job was cancelled"), lock);
  }
  return snapshot_of(*job);
}

std::size_t JobQueue::length(const std::string& lane_name) {
  const std::lock_guard lock(mutex_);
  const auto at = lanes_.find(lane_name);
  return at == lanes_.end() ? 0 : at->second->waiting.size() + at->second->running;
}

}  // namespace ws
