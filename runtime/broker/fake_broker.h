// A broker without a database, for tests of those who use one.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/broker/job_broker.h"

namespace ws {

/// Answers as its functions say, and notes what was asked in one line each. Any thread.
class FakeBroker : public JobBroker {
 public:
  // Tests replace them. They are called without the lock.
  std::function<Result<Withdrawal>()> on_withdraw = [] { return Withdrawal::kEnded; };
  std::function<Result<Withdrawal>(bool wanted_here)> on_cancel = [](bool) {
    return Withdrawal::kEnded;
  };
  std::function<Result<ClaimOutcome>()> on_claim = [] { return ClaimOutcome{}; };
  std::function<Result<BeatOutcome>(const std::vector<WorkLease>&)> on_beat =
      [](const std::vector<WorkLease>&) { return BeatOutcome{}; };
  std::function<Result<std::int64_t>()> on_forget = [] { return 0; };
  std::function<Result<std::vector<OfferedDevice>>()> on_devices = [] {
    return std::vector<OfferedDevice>();
  };

  Result<Submitted> submit(const NodeJob& job) override {
    note("submit " + job.id + " " + job.lane);
    return Submitted{.id = job.id};
  }

  Result<std::vector<NodeJobView>> look(const std::vector<std::string>& ids) override {
    std::vector<NodeJobView> views;
    const std::lock_guard lock(mutex_);
    if (!known_) {
      return views;
    }
    for (const std::string& id : ids) {
      views.push_back({.id = id,
                       .tool = "validate",
                       .arguments = "{}",
                       .owner = {},
                       .state = state_,
                       .node = {}});
    }
    return views;
  }

  Status want(const std::string& id, const std::string& client) override {
    note("want " + id + " " + client);
    return {};
  }

  Result<Withdrawal> withdraw(const std::string& id) override {
    note("withdraw " + id);
    return on_withdraw();
  }

  Result<Withdrawal> cancel(const std::string& id, const std::string& client,
                            bool wanted_here) override {
    note("cancel " + id + " " + client);
    return on_cancel(wanted_here);
  }

  Result<JobNews> wait(std::chrono::milliseconds most, const std::stop_token& stop) override {
    return news(most, stop);
  }

  Status enter(const NodeInfo&) override { return {}; }

  Result<ClaimOutcome> claim(const NodeInfo&) override { return on_claim(); }

  Result<BeatOutcome> beat(const NodeInfo&, const std::vector<WorkLease>& held) override {
    return on_beat(held);
  }

  Status progress(const WorkLease&, const Progress&) override { return {}; }

  Result<bool> finish(const WorkLease& lease, NodeFinish how, const std::string& result,
                      double) override {
    note("result " + result);
    constexpr const char* kNames[] = {"done", "failed", "cancelled", "gave_back", "try_again"};
    note("finish " + lease.job + " " + std::to_string(lease.attempt) + " " +
         kNames[static_cast<std::size_t>(how)]);
    return true;
  }

  Result<JobNews> wait_for_work(std::chrono::milliseconds most,
                                const std::stop_token& stop) override {
    return news(most, stop);
  }

  Status leave(const NodeInfo&) override { return {}; }

  Result<std::int64_t> forget_ended() override { return on_forget(); }

  Result<std::vector<OfferedDevice>> devices() override { return on_devices(); }

  Result<std::vector<NodeRow>> nodes() override { return std::vector<NodeRow>(); }

  /// It says so of all jobs.
  void set_state(NodeJobState state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
  }

  /// Whether it knows any job.
  void set_known(bool known) {
    const std::lock_guard lock(mutex_);
    known_ = known;
  }

  void note(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }

  std::vector<std::string> noted() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  /// Returns once the line was noted so often.
  void await_line(const std::string& line, std::ptrdiff_t times = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::count(lines_.begin(), lines_.end(), line) >= times; });
  }

  /// No wait of a server or a node ends before open().
  void close() { set_closed(true); }

  void open() { set_closed(false); }

 private:
  void set_closed(bool closed) {
    const std::lock_guard lock(mutex_);
    closed_ = closed;
    changed_.notify_all();
  }

  Result<JobNews> news(std::chrono::milliseconds most, const std::stop_token& stop) {
    note("wait");
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, most, [] { return false; });
    changed_.wait(lock, [&] { return !closed_; });
    return JobNews{};
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> lines_;               // guarded by mutex_
  NodeJobState state_ = NodeJobState::kRunning;  // guarded by mutex_
  bool known_ = true;                            // guarded by mutex_
  bool closed_ = false;                          // guarded by mutex_
};

}  // namespace ws
