// The threads of lanes: which job is next, its run, and how jobs end.
#include <exception>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"
#include "runtime/base/request_id.h"
#include "runtime/base/trace.h"
#include "runtime/base/viewer.h"
#include "runtime/base/work_owner.h"
#include "runtime/queue/job_lane.h"
#include "runtime/queue/job_queue.h"
#include "runtime/queue/work_quotas.h"

namespace ws {
namespace {

constexpr const char* kServerStopped = "the server stopped";

/// An outcome that there is memory for.
Result<std::string> no_output(ErrorCode code, const char* message, const char* detail = "",
                              std::unique_lock<std::mutex>* lock = nullptr) {
  Result<std::string> outcome;
  surely([&] { outcome = fail(code, message, {}, detail); }, lock);
  return outcome;
}

}  // namespace

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
                       quota_day());
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

void JobQueue::end(const std::shared_ptr<Job>& job, std::unique_lock<std::mutex>& lock) {
  const bool queued = job->state == JobState::kQueued && job->lane->waiting.remove(job);
  job->lane->filled.notify_one();  // The job that is next now may be one that shares.
  job->ending = true;              // From here on a caller with the same question gets a new job.
  JobWork unused = queued ? std::exchange(job->work, nullptr) : JobWork();
  std::stop_source stop = job->stop;  // Its own: a mirrored job that is wanted again gets another.
  lock.unlock();
  unused = nullptr;     // Its destructors may ask the queue something.
  stop.request_stop();  // Runs the stop callbacks, so not under the lock.
  lock.lock();
  if (queued) {
    finish(*job, JobState::kCancelled,
           no_output(ErrorCode::kCancelled, "the job was cancelled", "", &lock), lock);
  }
}

}  // namespace ws
