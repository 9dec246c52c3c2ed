// Workers that rest after their task for the next one of the same kind, as what they have loaded
// takes seconds to load.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "runtime/base/call_context.h"

namespace ws {

/// @tparam Worker  Can be moved; its end ends the process. Any thread.
template <typename Worker>
class RestingWorkers {
 public:
  /// @param most  So many rest at once, and for `idle` at most: the oldest one ends first.
  RestingWorkers(std::size_t most, std::chrono::seconds idle)
      : most_(most),
        idle_(idle),
        ender_([this](const std::stop_token& stop) { end_the_idle(stop); }) {}

  /// The one that rested last under this key.
  std::optional<Worker> wake(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(resting_.rbegin(), resting_.rend(),
                                 [&](const Resting& each) { return each.key == key; });
    if (at == resting_.rend()) {
      return std::nullopt;
    }
    Worker worker = std::move(at->worker);
    resting_.erase(std::next(at).base());
    return worker;
  }

  void rest(std::string key, Worker worker) {
    std::optional<Resting> oldest;  // Ended outside the lock.
    const std::lock_guard lock(mutex_);
    if (resting_.size() == most_) {
      oldest = std::move(resting_.front());
      resting_.pop_front();
    }
    resting_.push_back({std::move(key), std::move(worker), Clock::now()});
    rested_.notify_all();
  }

 private:
  struct Resting {
    std::string key;
    Worker worker;
    Clock::time_point since;
  };

  void end_the_idle(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (rested_.wait(lock, stop, [this] { return !resting_.empty(); })) {
      const auto end = resting_.front().since + idle_;
      if (rested_.wait_until(lock, stop, end, [] { return false; }) || stop.stop_requested()) {
        return;
      }
      if (!resting_.empty() && resting_.front().since + idle_ <= Clock::now()) {
        const Resting idle = std::move(resting_.front());
        resting_.pop_front();
      }
    }
  }

  const std::size_t most_;
  const std::chrono::seconds idle_;
  std::mutex mutex_;
  std::deque<Resting> resting_;  // guarded by mutex_; the oldest first
  std::condition_variable_any rested_;
  std::jthread ender_;  // Last: it uses the others.
};

}  // namespace ws
