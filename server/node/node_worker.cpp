#include "server/node/node_worker.h"

#include <algorithm>
#include <utility>

#include "runtime/base/log.h"

namespace ws::server {
namespace {

/// While all places are taken; the end of a job ends the wait.
constexpr std::chrono::milliseconds kWhileFull{10000};

}  // namespace

NodeWorker::NodeWorker(JobBroker& broker, Services& services, const ToolRegistry& tools,
                       NodeInfo node, NodeLimits limits)
    : broker_(broker),
      services_(services),
      tools_(tools),
      node_(std::move(node)),
      limits_(limits),
      worked_(Clock::now()) {}

NodeWorker::~NodeWorker() {
  end_all(Ending::kGivenBack);
  join_ended();
}

bool NodeWorker::idle() {
  const std::lock_guard lock(mutex_);
  return running_.empty();
}

bool NodeWorker::is_full() {
  const std::lock_guard lock(mutex_);
  return running_.size() >= limits_.jobs;
}

void NodeWorker::drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  wake_.request_stop();
  changed_.notify_all();
}

void NodeWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    stopped_ = true;
    wake_.request_stop();
    changed_.notify_all();
  }
}

std::stop_token NodeWorker::next_wake() {
  const std::lock_guard lock(mutex_);
  if (wake_.stop_requested() && !draining_) {
    wake_ = std::stop_source();
  }
  return wake_.get_token();
}

Status NodeWorker::run() {
  WS_CHECK(broker_.enter(node_));
  log(LogLevel::kInfo, "node", "name=" + node_.name + " devices=" + node_.devices + " takes jobs");
  Status done;
  {
    const std::jthread beats([this](const std::stop_token& stop) { beat_until(stop); });
    done = work();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || refused_ || running_.empty(); });
    lock.unlock();
    end_all(Ending::kGivenBack);
    join_ended();
  }
  if (const Status left = broker_.leave(node_); !left) {
    log(LogLevel::kDebug, "node", "it is seen as alive for a while: " + to_text(left.error()));
  }
  return done;
}

Status NodeWorker::work() {
  for (;;) {
    const std::stop_token wake = next_wake();
    join_ended();
    {
      const std::lock_guard lock(mutex_);
      if (refused_) {
        return fail(ErrorCode::kConflict, "the work of the node `" + node_.name + "` is refused",
                    "it was revoked, or another process has its name now: see warpsmith nodes");
      }
      const bool idle = running_.empty() && limits_.idle_exit.count() > 0 &&
                        Clock::now() - worked_ >= limits_.idle_exit;
      if (draining_ || idle) {
        return {};
      }
    }
    std::optional<std::chrono::milliseconds> pause = kWhileFull;
    if (!is_full()) {
      pause = held_off();
      pause = pause ? pause : claim_next();
    }
    if (!pause) {
      continue;
    }
    if (limits_.idle_exit.count() > 0) {
      pause = std::min(*pause, limits_.idle_exit);
    }
    const Result<JobNews> news = broker_.wait_for_work(*pause, wake);
    if (news) {
      cancel(news->ids);
    }
  }
}

std::optional<std::chrono::milliseconds> NodeWorker::claim_next() {
  Result<ClaimOutcome> outcome = broker_.claim(node_);
  if (!outcome) {
    log(note_unreachable() ? LogLevel::kWarning : LogLevel::kDebug, "node",
        "no job can be claimed: " + to_text(outcome.error()));
    return held_off();
  }
  if (!outcome->claim) {
    return outcome->look_again;
  }
  begin(*std::move(outcome->claim));
  return std::nullopt;
}

void NodeWorker::begin(NodeClaim claim) {
  std::shared_ptr<Running> before;
  {
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(claim.id);
    if (at == running_.end()) {
      start(std::move(claim));
      return;
    }
    before = at->second;
    // Its signs of life did not arrive: the attempt that still runs is worth nothing any more.
    before->ending = Ending::kLost;
    before->next = std::move(claim);
  }
  before->stop.request_stop();
}

void NodeWorker::start(NodeClaim claim) {
  auto job = std::make_shared<Running>();
  job->lease = lease_of(claim);
  Running& begun = *job;
  worked_ = Clock::now();
  running_[claim.id] = std::move(job);
  begun.thread = std::jthread([this, &begun, claim = std::move(claim)] { run_job(begun, claim); });
}

WorkLease NodeWorker::lease_of(const NodeClaim& claim) const {
  return {.job = claim.id, .node = node_.name, .attempt = claim.attempt};
}

void NodeWorker::leave(const std::string& id) {
  std::unique_lock lock(mutex_);
  const auto own = running_.find(id);
  Running& job = *own->second;
  while (job.next && (draining_ || refused_)) {
    const WorkLease lease = lease_of(*std::exchange(job.next, std::nullopt));
    lock.unlock();
    if (const auto back = broker_.finish(lease, NodeFinish::kGaveBack, "", 0); !back) {
      log(LogLevel::kWarning, "node", "job=" + id + " waits: " + to_text(back.error()));
    }
    lock.lock();
  }
  worked_ = Clock::now();
  std::optional<NodeClaim> next = std::move(job.next);
  ended_.push_back(std::move(own->second));
  running_.erase(own);
  if (next) {
    start(*std::move(next));
  }
  wake_.request_stop();
  changed_.notify_all();
}

void NodeWorker::end(Running& job, Ending why) {
  {
    const std::lock_guard lock(mutex_);
    if (job.ending == Ending::kNone) {
      job.ending = why;
    }
  }
  job.stop.request_stop();
}

void NodeWorker::end_all(Ending why) {
  std::vector<std::shared_ptr<Running>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, job] : running_) {
      all.push_back(job);
    }
  }
  for (const auto& job : all) {
    end(*job, why);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_.empty(); });
}

void NodeWorker::cancel(const std::vector<std::string>& ids) {
  std::vector<std::shared_ptr<Running>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& id : ids) {
      if (const auto at = running_.find(id); at != running_.end()) {
        all.push_back(at->second);
      }
    }
  }
  for (const auto& job : all) {
    end(*job, Ending::kCancelled);
  }
}

void NodeWorker::end_leases(const std::vector<WorkLease>& leases, Ending why) {
  std::vector<std::shared_ptr<Running>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const WorkLease& lease : leases) {
      const auto at = running_.find(lease.job);
      if (at == running_.end()) {
        continue;
      }
      std::optional<NodeClaim>& next = at->second->next;
      if (at->second->lease == lease) {
        all.push_back(at->second);
      } else if (why == Ending::kLost && next && lease_of(*next) == lease) {
        next.reset();
      }
    }
  }
  for (const auto& job : all) {
    end(*job, why);
  }
}

void NodeWorker::join_ended() {
  std::vector<std::shared_ptr<Running>> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(ended_);
}

}  // namespace ws::server
