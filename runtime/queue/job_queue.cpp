#include "runtime/queue/job_queue.h"

#include <algorithm>
#include <system_error>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/trace.h"
#include "runtime/base/viewer.h"
#include "runtime/queue/job_lane.h"
#include "runtime/queue/queue_changes.h"
#include "runtime/queue/work_quotas.h"

namespace ws {
namespace {

constexpr std::size_t kIdDigits = 32;
/// Ended jobs kept in memory; older ones are in the archive.
constexpr std::size_t kEndedKept = 1000;
/// So many clients' worth of waiting jobs is all that a lane takes.
constexpr std::size_t kFullLanes = 16;

}  // namespace

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

std::string place_in_line(std::size_t position) {
  if (position == 0) {
    return "waits to start";
  }
  return "waits behind " + std::to_string(position) + (position == 1 ? " job" : " jobs");
}

JobQueue::JobQueue(std::vector<LaneOptions> lanes, std::function<void(const JobSnapshot&)> on_final)
    : on_final_(std::move(on_final)) {
  try {
    const std::lock_guard lock(mutex_);  // A lane's threads look at all lanes.
    watchers_ = std::make_unique<Watchers>(mutex_);
    for (LaneOptions& options : lanes) {
      auto lane = std::make_unique<Lane>(std::move(options));
      Lane& placed = *lane;
      lanes_[placed.options.name] = std::move(lane);
      for (std::size_t i = 0; i < placed.options.threads; ++i) {
        placed.threads.emplace_back([this, &placed] { lane_main(placed); });
      }
    }
  } catch (const std::system_error&) {
    join_lanes();  // Those that have begun would be waited for, and nobody else stops them.
    throw;
  }
}

JobQueue::~JobQueue() {
  join_lanes();
}

void JobQueue::join_lanes() {
  stop();
  for (const auto& [name, lane] : lanes_) {
    lane->threads.clear();  // Joins.
  }
}

void JobQueue::stop() {
  std::vector<std::stop_source> running;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    surely([&] { running.reserve(open_.size()); }, &lock);  // No more come.
    for (const auto& [id, job] : open_) {
      if (!job->told_position) {  // A mirrored job goes on without this server.
        running.push_back(job->stop);
      }
    }
  }
  for (std::stop_source& job : running) {
    job.request_stop();  // Runs the stop callbacks, so not under the lock.
  }
  for (const auto& [name, lane] : lanes_) {
    lane->filled.notify_all();
  }
}

Result<std::vector<JobQueue::Lane*>> JobQueue::lanes_of(const JobRequest& request) {
  std::vector<Lane*> lanes;
  for (const std::string& name : request.lanes) {
    const auto at = lanes_.find(name);
    if (at == lanes_.end()) {
      return fail(ErrorCode::kNotFound, "no queue for `" + name + "`");
    }
    lanes.push_back(at->second.get());
  }
  return lanes;
}

std::shared_ptr<JobQueue::Job> JobQueue::joined(const JobRequest& request,
                                                const std::vector<Lane*>& lanes) const {
  if (!request.id.empty()) {
    const auto at = jobs_.find(request.id);
    return at == jobs_.end() ? nullptr : at->second;
  }
  for (const auto& [id, job] : open_) {
    const bool same = !request.key.empty() && job->request.key == request.key &&
                      std::find(lanes.begin(), lanes.end(), job->lane) != lanes.end() &&
                      job->is_own();
    if (same && !is_final(job->state) && !job->is_ending()) {
      return job;
    }
  }
  return nullptr;
}

Result<std::string> JobQueue::submit(const JobRequest& request, JobWork work) {
  const std::lock_guard lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, place(request, std::move(work)));
  job->kept = true;
  return job->id;
}

Result<std::shared_ptr<JobQueue::Job>> JobQueue::place(const JobRequest& request, JobWork work) {
  WS_TRY(const std::vector<Lane*> lanes, lanes_of(request));
  if (stopping_) {
    return fail(ErrorCode::kBusy, "the server is stopping");
  }
  if (const std::shared_ptr<Job> job = joined(request, lanes)) {
    Caller caller = request.caller;
    if (job->request.caller.background && !caller.background &&
        job->lane->waiting.hand_over(job, caller)) {
      job->request.caller = std::move(caller);
      job->lane->filled.notify_one();  // It is next now, maybe, and may run beside what runs.
    }
    return job;
  }
  const auto sooner = [](const Lane* a, const Lane* b) {
    return std::pair(a->load_ms(), a->length()) < std::pair(b->load_ms(), b->length());
  };
  Lane& lane = **std::min_element(lanes.begin(), lanes.end(), sooner);
  const std::string_view principal = principal_of(request.caller.client);
  const auto queued = [&](const Lane& at) { return at.waiting.count_of_principal(principal); };
  const std::size_t capacity = lane.options.capacity;
  const std::size_t own = lane.waiting.count(request.caller.client);
  // A principal that has filled the lane keeps no other one out.
  if (own >= capacity ||
      (lane.waiting.size() >= capacity * kFullLanes && queued(lane) >= capacity)) {
    return fail(ErrorCode::kBusy,
                "the queue of " + lane.options.name + " is full (" +
                    (own >= capacity ? std::to_string(own) + " of your jobs wait)"
                                     : std::to_string(lane.waiting.size()) + " jobs wait)"),
                "call again later");
  }
  std::size_t waiting = 0;
  for (const auto& [name, other] : lanes_) {
    waiting += queued(*other);
  }
  WS_CHECK(work_quotas().admit(principal, lane.options.name, waiting, quota_day()));
  const std::shared_ptr<Job> job = make_job(request, lane);
  job->work = std::move(work);
  Jobs known = {{job->id, job}};
  Jobs open = known;
  lane.waiting.add(request.caller, job);
  jobs_.merge(known);  // From the lane on nothing may fail.
  open_.merge(open);
  lane.filled.notify_one();
  queue_changes().note();
  return job;
}

std::shared_ptr<JobQueue::Job> JobQueue::make_job(const JobRequest& request, Lane& lane) {
  auto job = std::make_shared<Job>();
  job->id = request.id.empty() ? "job_" + random_hex(kIdDigits) : request.id;
  job->request = request;
  job->lane = &lane;
  job->in_ended = {job->id};
  job->updated_ms = unix_ms();
  job->asked_by = current_request_id();
  job->asked_span = current_span();
  job->viewer = kept_viewer();
  return job;
}

void JobQueue::tell(Job& job) {
  job.updated_ms = unix_ms();
  job.changed.notify_all();
  queue_changes().note();
  for (const auto& watch : job.watches) {
    watchers_->call(watch);
  }
}

void JobQueue::forget_old() {
  while (ended_.size() > kEndedKept) {
    jobs_.erase(ended_.front());
    ended_.pop_front();
  }
}

Result<JobSnapshot> JobQueue::cancel(const std::string& id) {
  std::unique_lock lock(mutex_);
  WS_TRY(const std::shared_ptr<Job> job, find(id));
  end(job, lock);
  return snapshot_of(*job);
}

std::size_t JobQueue::length(const std::string& lane_name) {
  const std::lock_guard lock(mutex_);
  const auto at = lanes_.find(lane_name);
  return at == lanes_.end() ? 0 : at->second->length();
}

}  // namespace ws
