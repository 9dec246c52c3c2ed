#include "runtime/queue/job_lane.h"

#include <algorithm>
#include <utility>

namespace ws {

JobQueue::Lane::Lane(LaneOptions own)
    : options(std::move(own)),
      waited(metric_histogram(Metric::kJobWait, {options.name})) {
  for (const JobState state : {JobState::kDone, JobState::kCancelled, JobState::kFailed}) {
    ended[state] = &metric_cell(Metric::kJobsEnded, {options.name, name_of(state)});
  }
}

void JobQueue::Lane::begin(std::shared_ptr<Job> job) {
  waited.observe(Clock::now() - job->queued);
  if (running.empty()) {
    busy_since = Clock::now();
  }
  running.push_back(std::move(job));
}

void JobQueue::Lane::leave(const Job& job) {
  std::erase_if(running, [&job](const auto& other) { return other.get() == &job; });
  if (running.empty()) {
    busy += Clock::now() - busy_since;
  }
}

LaneState JobQueue::Lane::state() const {
  const auto now = running.empty() ? Clock::duration(0) : Clock::now() - busy_since;
  return {.name = options.name,
          .queued = waiting.size(),
          .running = running.size(),
          .busy_s = std::chrono::duration<double>(busy + now).count()};
}

bool JobQueue::Lane::admits(const Job& job) const {
  return !options.alone || running.empty() ||
         (!job.request.shares.empty() &&
          std::all_of(running.begin(), running.end(), [&job](const auto& other) {
            return other->request.shares == job.request.shares;
          }));
}

double JobQueue::Lane::ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::optional<double> JobQueue::Lane::left_ms(const Job& job) const {
  const double spent = ms_since(job.started);
  if (job.progress.fraction > 0) {
    return spent * (1 - job.progress.fraction) / job.progress.fraction;
  }
  const std::optional<double> whole = past.median(job.request.tool);
  return whole ? std::optional<double>(std::max(0.0, *whole - spent)) : std::nullopt;
}

double JobQueue::Lane::load_ms() const {
  double load = 0;
  for (const auto& job : running) {
    load += left_ms(*job).value_or(0);
  }
  for (const auto& job : waiting.all()) {
    load += past.median(job->request.tool).value_or(0);
  }
  return load;
}

std::vector<std::shared_ptr<JobQueue::Job>> JobQueue::Lane::order() const {
  // Where nothing is known one is as long as another.
  return waiting.order(
      [this](const auto& job) { return past.median(job->request.tool).value_or(1); });
}

std::shared_ptr<JobQueue::Job> JobQueue::Lane::first_for(const Lane& other) const {
  for (auto& job : order()) {
    const std::vector<std::string>& lanes = job->request.lanes;
    if (std::find(lanes.begin(), lanes.end(), other.options.name) != lanes.end()) {
      return job;
    }
  }
  return nullptr;
}

void JobQueue::Lane::look_ahead(const Job& job, JobSnapshot& snapshot) const {
  if (job.told_position) {
    snapshot.queue_position = *job.told_position;
    snapshot.eta_ms = job.state == JobState::kRunning ? left_ms(job) : std::nullopt;
    return;
  }
  if (job.state == JobState::kRunning) {
    snapshot.eta_ms = left_ms(job);
    return;
  }
  std::optional<double> before = 0;
  const auto add = [&before](std::optional<double> ms) {
    before = before && ms ? std::optional<double>(*before + *ms) : std::nullopt;
  };
  for (const auto& other : running) {
    add(left_ms(*other));
  }
  snapshot.queue_position = running.size();
  for (const auto& other : order()) {
    if (other.get() == &job) {
      break;
    }
    ++snapshot.queue_position;
    add(past.median(other->request.tool));
  }
  if (before) {
    const bool one_by_one = options.alone && job.request.shares.empty();
    *before /= static_cast<double>(one_by_one ? 1 : options.threads);
  }
  add(past.median(job.request.tool));
  snapshot.eta_ms = before;
}

}  // namespace ws
