// The signs of life of a node.
#include <algorithm>
#include <utility>

#include "runtime/base/log.h"
#include "server/node/node_worker.h"

namespace ws::server {
namespace {

/// Between looks for jobs that ended long ago.
constexpr std::chrono::hours kForget{1};
/// Between signs of life after one that did not arrive.
constexpr std::chrono::milliseconds kBeatAgain{500};
/// After a time without the broker others may claim nothing before this node has said that it
/// lives, and all of them say it within this time.
constexpr std::chrono::milliseconds kClaimAgain{2000};
/// Until a sign of life arrives, which ends the wait.
constexpr std::chrono::milliseconds kWhileUnreached{10000};
constexpr std::chrono::minutes kLongestRest{5};

}  // namespace

std::optional<std::chrono::milliseconds> NodeWorker::held_off() {
  const std::lock_guard lock(mutex_);
  if (!reached_) {
    return kWhileUnreached;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(claims_from_ - Clock::now());
  return left.count() > 0 ? std::optional(left) : std::nullopt;
}

void NodeWorker::note_end(const std::string& id, NodeFinish how) {
  const std::lock_guard lock(mutex_);
  if (how != NodeFinish::kTryAgain) {
    failures_ = how == NodeFinish::kDone || how == NodeFinish::kFailed ? 0 : failures_;
    return;
  }
  auto rest = limits_.beat;
  for (std::size_t i = 0; i < failures_ && rest < kLongestRest; ++i) {
    rest *= 2;
  }
  ++failures_;
  claims_from_ = std::max<Clock::time_point>(claims_from_, Clock::now() + rest);
  log(LogLevel::kWarning, "node",
      "job=" + id + " may do better on another node; failures_in_a_row=" +
          std::to_string(failures_) + " claims_again_ms=" + std::to_string(rest.count()));
}

bool NodeWorker::note_unreachable() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  return std::exchange(reached_, false);
}

void NodeWorker::note_beat(const BeatOutcome& outcome) {
  end_leases(outcome.cancelled, Ending::kCancelled);
  end_leases(outcome.lost, Ending::kLost);
  const std::lock_guard lock(mutex_);
  if (!reached_) {
    reached_ = true;
    claims_from_ = std::max<Clock::time_point>(claims_from_,
                                               Clock::now() + std::min(kClaimAgain, limits_.beat));
    wake_.request_stop();
  }
  if (outcome.revoked) {
    refused_ = true;
    wake_.request_stop();
    changed_.notify_all();
  }
}

bool NodeWorker::beat() {
  std::vector<WorkLease> held;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : running_) {
      held.push_back(job->next ? lease_of(*job->next) : job->lease);
    }
  }
  const Result<BeatOutcome> outcome = broker_.beat(node_, held);
  if (outcome) {
    note_beat(*outcome);
    return true;
  }
  log(note_unreachable() ? LogLevel::kWarning : LogLevel::kDebug, "node",
      "other nodes may take over its jobs: " + to_text(outcome.error()));
  return false;
}

Clock::time_point NodeWorker::forget_some(Clock::time_point due) {
  const auto now = Clock::now();
  if (now < due) {
    return due;
  }
  const Result<std::int64_t> forgotten = broker_.forget_ended();
  log(forgotten ? LogLevel::kDebug : LogLevel::kWarning, "node",
      forgotten ? "jobs_forgotten=" + std::to_string(*forgotten) : to_text(forgotten.error()));
  return forgotten && *forgotten > 0 ? now : now + kForget;
}

void NodeWorker::beat_until(const std::stop_token& stop) {
  auto forget_at = Clock::now();  // Soon: a node may live for less than an hour.
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const bool reached = reached_;
    changed_.wait_for(lock, stop, reached ? limits_.beat : std::min(kBeatAgain, limits_.beat),
                      [&] { return reached && !reached_; });
    if (stop.stop_requested()) {
      return;
    }
    lock.unlock();
    if (beat()) {
      forget_at = forget_some(forget_at);
    }
    lock.lock();
  }
}

}  // namespace ws::server
