// Jobs that run elsewhere, as those who wait for them here see them.
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/queue/job_lane.h"
#include "runtime/queue/job_queue.h"
#include "runtime/queue/queue_changes.h"
#include "runtime/queue/work_quotas.h"

namespace ws {

Result<MirroredJob> JobQueue::mirror(const JobRequest& request) {
  const std::lock_guard lock(mutex_);
  WS_TRY(const std::vector<Lane*> lanes, lanes_of(request));
  if (stopping_) {
    return fail(ErrorCode::kBusy, "the server is stopping");
  }
  const auto known = jobs_.find(request.id);  // It may have ended while this was asked.
  const bool is_new = known == jobs_.end();
  const std::shared_ptr<Job> job = is_new ? make_job(request, *lanes.front()) : known->second;
  if (is_new) {
    jobs_[job->id] = job;
    open_[job->id] = job;
    job->told_position = 0;
    job->lane->begin(job);
    queue_changes().note();
  }
  const bool is_back = !job->outcome && job->is_ending() && !job->is_wanted();
  if (is_back) {
    job->ending = false;
    job->stop = std::stop_source();
  }
  job->tickets.insert(++tickets_);
  return MirroredJob{{job->id, tickets_}, job->stop.get_token(), is_new || is_back};
}

void JobQueue::report(JobReport report) {
  std::unique_lock lock(mutex_);
  const auto at = open_.find(report.id);
  if (at == open_.end() || !at->second->told_position || at->second->outcome) {
    return;
  }
  const std::shared_ptr<Job> job = at->second;
  job->told_position = report.queue_position;
  if (report.state == JobState::kRunning && job->state == JobState::kQueued) {
    job->started = Clock::now();
  }
  if (report.outcome) {
    job->lane->leave(*job);
    const double took_ms = job->state == JobState::kRunning ? Lane::ms_since(job->started) : 0;
    work_quotas().charge(principal_of(job->request.caller.client), job->lane->options.name, took_ms,
                         quota_day());
    finish(*job, report.state, *std::move(report.outcome), lock);
    return;
  }
  job->state = report.state;
  if (report.progress.fraction != job->progress.fraction ||
      report.progress.message != job->progress.message) {
    note_progress(*job, report.progress);
  } else {
    ++job->version;
  }
  tell(*job);
}

bool JobQueue::is_ending(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(id);
  return at != open_.end() && at->second->told_position && at->second->is_ending();
}

bool JobQueue::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto at = open_.find(id);
  if (at == open_.end() || !at->second->told_position || !at->second->is_ending() ||
      at->second->waiters > 0 || at->second->is_wanted()) {
    return false;
  }
  at->second->lane->leave(*at->second);
  jobs_.erase(id);
  open_.erase(at);
  queue_changes().note();
  return true;
}

}  // namespace ws
