#include "runtime/queue/job_queue.h"

#include <algorithm>
#include <exception>
#include <system_error>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/trace.h"
#include "runtime/base/viewer.h"
#include "runtime/base/work_owner.h"
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
constexpr const char* kServerStopped = "the server stopped";

/// Days since the Unix epoch, which begin at 00:00 UTC.
std::int64_t today() {
  constexpr std::int64_t kMsInDay = std::int64_t{24} * 60 * 60 * 1000;
  return unix_ms() / kMsInDay;
}

/// An outcome that there is memory for.
Result<std::string> no_output(ErrorCode code, const char* message, const char* detail = "",
                              std::unique_lock<std::mutex>* lock = nullptr) {
  Result<std::string> outcome;
  surely([&] { outcome = fail(code, message, {}, detail); }, lock);
  return outcome;
}

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
  WS_CHECK(work_quotas().admit(principal, lane.options.name, waiting, today()));
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

void JobQueue::lane_main(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    CallContext context;
    std::shared_ptr<Job> job;
    surely([&] { job = take_next(lane, context, lock); }, &lock);
    if (!job) {
      end_waiting(lane, lock);
      return;
    }
    run(lane, *job, context, lock);
  }
}

void JobQueue::end_waiting(Lane& lane, std::unique_lock<std::mutex>& lock) {
  while (!lane.waiting.empty()) {
    const std::shared_ptr<Job> job = lane.waiting.take();
    lane.waiting.charge(job->request.caller, 0);
    job->server_stopped = true;
    finish(*job, JobState::kCancelled, no_output(ErrorCode::kCancelled, kServerStopped, "", &lock),
           lock);
  }
}

bool JobQueue::adopt(Lane& lane) {
  for (const auto& [name, other] : lanes_) {
    const std::shared_ptr<Job> job = other.get() == &lane ? nullptr : other->first_for(lane);
    if (job && lane.admits(*job)) {
      lane.waiting.add(job->request.caller, job);
      other->waiting.remove(job);
      other->filled.notify_one();  // The job that is next there now may be one that shares.
      job->lane = &lane;
      return true;
    }
  }
  return false;
}

std::shared_ptr<JobQueue::Job> JobQueue::take_next(Lane& lane, CallContext& context,
                                                   std::unique_lock<std::mutex>& lock) {
  lane.filled.wait(
      lock, [&] { return stopping_ || lane.is_ready() || (lane.waiting.empty() && adopt(lane)); });
  if (stopping_) {
    return nullptr;
  }
  Job* const next = lane.waiting.next().get();
  context = {.request_id = next->id,
             .stop = next->stop.get_token(),
             .progress = {},
             .caller = next->request.caller,
             .job_id = {},
             .lane = lane.options.name};
  context.progress = [this, next](const Progress& progress) {
    const std::lock_guard guard(mutex_);
    note_progress(*next, progress);
    tell(*next);
  };
  lane.running.reserve(lane.running.size() + 1);
  lane.begin(lane.waiting.take());
  return lane.running.back();
}

Result<std::string> JobQueue::run_work(const Job& job, CallContext& context) {
  const RequestScope scope(job.asked_by, job.asked_span);
  const ViewerScope viewer(job.viewer);
  const OwnerScope owner(job.request.caller.client);
  try {
    TraceSpan span("job " + job.request.tool);
    span.note("warpsmith.job_id", job.id);
    span.note("warpsmith.lane", context.lane);
    Result<std::string> output = job.work(context);
    if (!output) {
      span.fail(output.error().message);
    }
    return output;
  } catch (const std::exception& error) {
    return no_output(ErrorCode::kInternal, "a job ended with an exception", error.what());
  }
}

void JobQueue::run(Lane& lane, Job& job, CallContext& context, std::unique_lock<std::mutex>& lock) {
  lane.filled.notify_one();  // The next job may run beside it.
  job.state = JobState::kRunning;
  job.started = Clock::now();
  ++job.version;
  tell(job);
  lock.unlock();
  Result<std::string> outcome = run_work(job, context);
  lock.lock();
  lane.leave(job);
  lane.filled.notify_one();  // A job that could not run beside it may run now.
  const double took_ms = Lane::ms_since(job.started);
  lane.waiting.charge(job.request.caller, took_ms);
  work_quotas().charge(principal_of(job.request.caller.client), lane.options.name, took_ms,
                       today());
  if (outcome) {
    surely([&] { lane.past.add(job.request.tool, took_ms); }, &lock);
  }
  const bool cancelled = !outcome && outcome.error().code == ErrorCode::kCancelled;
  if (cancelled && stopping_) {
    job.server_stopped = true;
    outcome = no_output(ErrorCode::kCancelled, kServerStopped, "", &lock);
  }
  const JobState state = outcome     ? JobState::kDone
                         : cancelled ? JobState::kCancelled
                                     : JobState::kFailed;
  finish(job, state, std::move(outcome), lock);
}

void JobQueue::record(Job& job, JobState state, std::unique_lock<std::mutex>& lock) {
  try {
    const Need need;
    const JobState before = std::exchange(job.state, state);
    const JobSnapshot last = snapshot_of(job);
    job.state = before;
    lock.unlock();
    on_final_(last);
  } catch (const std::exception& error) {
    log(LogLevel::kError, "queue", "the end of a job is not recorded:");
    log(LogLevel::kError, "queue", error.what());
  }
  if (!lock.owns_lock()) {
    lock.lock();
  }
}

void JobQueue::finish(Job& job, JobState state, Result<std::string> outcome,
                      std::unique_lock<std::mutex>& lock) {
  job.outcome = std::move(outcome);
  job.work = nullptr;  // The captured state is not needed any more.
  if (on_final_) {
    record(job, state, lock);
  }
  job.state = state;
  job.lane->ended.at(state)->add();
  ++job.version;
  open_.erase(job.id);
  ended_.splice(ended_.end(), job.in_ended);
  forget_old();
  tell(job);
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

void JobQueue::end(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock) {
  const bool queued = job->state == JobState::kQueued && job->lane->waiting.remove(job);
  job->lane->filled.notify_one();  // The job that is next now may be one that shares.
  job->ending = true;              // From here on a caller with the same question gets a new job.
  JobWork unused = queued ? std::exchange(job->work, nullptr) : JobWork();
  lock.unlock();
  unused = nullptr;          // Its destructors may ask the queue something.
  job->stop.request_stop();  // Runs the stop callbacks, so not under the lock.
  lock.lock();
  if (queued) {
    finish(*job, JobState::kCancelled,
           no_output(ErrorCode::kCancelled, "the job was cancelled", "", &lock), lock);
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
