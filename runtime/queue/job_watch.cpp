// The view that others have of a job: progress, waiting, snapshots.
#include <algorithm>

#include "runtime/queue/job_lane.h"
#include "runtime/queue/job_queue.h"

namespace ws {
namespace {

constexpr std::size_t kResultsKept = 1000;  // As many as a batch has.
constexpr std::chrono::seconds kProgressBeat{10};
constexpr std::chrono::seconds kQueuedBeat{2};

/// One of those that wait, whatever ends the wait.
class Counted {
 public:
  Counted(std::size_t& waiters, std::unique_lock<std::mutex>& lock)
      : waiters_(waiters),
        lock_(lock) {
    ++waiters_;
  }

  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  ~Counted() {
    if (!lock_.owns_lock()) {
      lock_.lock();
    }
    --waiters_;
  }

 private:
  std::size_t& waiters_;
  std::unique_lock<std::mutex>& lock_;
};

}  // namespace

void JobQueue::note_progress(Job& job, const Progress& progress) {
  ++job.version;
  std::string partial = progress.partial.empty() ? job.progress.partial : progress.partial;
  job.progress = progress;
  if (progress.is_result) {
    job.results.emplace_back(job.version, progress);
    job.results.back().second.partial.clear();  // A caller that wants it asks for the newest.
  }
  if (job.results.size() > kResultsKept) {
    job.results.pop_front();
  }
  job.progress.partial = std::move(partial);
}

Clock::time_point JobQueue::Heard::beat(const Job& job, bool wants_progress) {
  const bool moves = job.state == JobState::kQueued && wants_progress;
  return Clock::now() + (moves ? kQueuedBeat : kProgressBeat);
}

std::vector<Progress> JobQueue::reports_since(const Job& job, Heard& heard) const {
  std::vector<Progress> reports;
  for (const auto& [version, progress] : job.results) {
    if (version > heard.version) {
      reports.push_back(progress);
    }
  }
  heard.version = job.version;
  if (job.state == JobState::kQueued) {
    JobSnapshot ahead;
    job.lane->look_ahead(job, ahead);
    std::string place = place_in_line(ahead.queue_position);
    const auto now = Clock::now();
    if (place != heard.place || now - heard.place_at >= kProgressBeat) {
      heard.place = place;
      heard.place_at = now;
      reports.push_back({.fraction = 0, .message = std::move(place)});
    }
    return reports;
  }
  const bool told = !reports.empty() && job.progress.is_result;
  if (!is_final(job.state) && !told) {
    reports.push_back(job.progress);
  }
  return reports;
}

JobSnapshot JobQueue::snapshot_of(const Job& job) const {
  JobSnapshot snapshot{.id = job.id,
                       .tool = job.request.tool,
                       .state = job.state,
                       .progress = job.progress,
                       .queue_position = 0,
                       .waiters = job.waiters,
                       .eta_ms = std::nullopt,
                       .outcome = std::nullopt,
                       .server_stopped = job.server_stopped,
                       .stopping = job.is_ending(),
                       .updated_ms = job.updated_ms};
  if (is_final(job.state)) {
    snapshot.outcome = job.outcome;
  } else {
    job.lane->look_ahead(job, snapshot);
  }
  return snapshot;
}

std::vector<LaneState> JobQueue::lanes() {
  std::vector<LaneState> states;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, lane] : lanes_) {
    states.push_back(lane->state());
  }
  return states;
}

std::vector<OpenJob> JobQueue::open_jobs() {
  std::vector<OpenJob> jobs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : open_) {
      if (!job->is_seen()) {
        continue;
      }
      const bool runs = job->state == JobState::kRunning;
      jobs.push_back({.job = snapshot_of(*job),
                      .lane = job->lane->options.name,
                      .client = job->request.caller.client,
                      .request = job->asked_by,
                      .age_s = Lane::ms_since(job->queued) / 1000,
                      .ran_s = runs ? Lane::ms_since(job->started) / 1000 : 0});
    }
  }
  std::sort(jobs.begin(), jobs.end(), [](const OpenJob& a, const OpenJob& b) {
    return std::pair(-a.age_s, a.job.id) < std::pair(-b.age_s, b.job.id);
  });
  return jobs;
}

Result<std::shared_ptr<JobQueue::Job>> JobQueue::find(const std::string& id) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end() || !at->second->is_seen()) {
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
  Heard heard{.version = job->version, .place_at = {}};
  std::optional<Counted> counted(std::in_place, job->waiters, lock);
  const auto tell = [&] {
    const std::vector<Progress> reports = reports_since(*job, heard);
    lock.unlock();
    for (const Progress& report : reports) {
      context.progress(report);
    }
    lock.lock();
  };
  // A job that has its outcome is being recorded; to report it as running would be wrong.
  const auto in_time = [&] { return job->outcome.has_value() || Clock::now() < deadline; };
  if (context.progress && job->state == JobState::kQueued && wait.count() > 0) {
    tell();
  }
  while (!is_final(job->state) && in_time() && !context.stop.stop_requested()) {
    const auto later = Heard::beat(*job, context.progress != nullptr);
    const auto beat = job->outcome ? later : std::min<Clock::time_point>(deadline, later);
    job->changed.wait_until(lock, context.stop, beat,
                            [&] { return job->version != heard.version; });
    if (context.progress) {
      tell();
    } else {
      heard.version = job->version;
    }
  }
  if (context.progress && is_final(job->state)) {
    tell();  // Results of the last moment.
  }
  counted.reset();
  return snapshot_of(*job);
}

Status JobQueue::watch(const std::string& id, std::chrono::milliseconds wait,
                       const CallContext& context, std::function<void()> over) {
  auto watch = std::make_shared<Watchers::Watch>();
  watchers_->listen(watch, context.stop);
  const auto deadline = Clock::now() + wait;
  const std::unique_lock lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  watch->over = std::move(over);
  watch->turn = [this, job = job.get(), deadline,
                 heard = Heard{.version = job->version, .place_at = {}},
                 progress = context.progress]() mutable {
    Watchers::Turn turn;
    if (progress) {
      turn.reports = reports_since(*job, heard);
    }
    // One that has its outcome is being recorded: it will be final at once.
    turn.over = is_final(job->state) || (!job->outcome && Clock::now() >= deadline);
    const auto later = Heard::beat(*job, progress != nullptr);
    turn.next = job->outcome ? later : std::min<Clock::time_point>(deadline, later);
    return turn;
  };
  watch->progress = context.progress;
  watch->ended = [job](const std::shared_ptr<Watchers::Watch>& self) {
    std::erase(job->watches, self);
    --job->waiters;
  };
  job->watches.reserve(job->watches.size() + 1);
  watchers_->add(watch);
  job->watches.push_back(watch);
  ++job->waiters;
  return {};
}

void JobQueue::after(std::chrono::milliseconds delay, const std::stop_token& stop,
                     std::function<void()> over) {
  auto watch = std::make_shared<Watchers::Watch>();
  watch->over = std::move(over);
  watch->turn = [end = Clock::now() + delay] {
    return Watchers::Turn{.reports = {}, .over = Clock::now() >= end, .next = end};
  };
  watchers_->listen(watch, stop);
  const std::unique_lock lock(mutex_);
  watchers_->add(watch);
}

Result<JobSnapshot> JobQueue::snapshot(const std::string& id) {
  const std::lock_guard lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  return snapshot_of(*job);
}

}  // namespace ws
