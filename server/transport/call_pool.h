// The threads that work on requests, and the count of those that are not answered yet: one that
// waits has no thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "server/transport/growing_pool.h"

namespace ws::server {

/// Any thread.
class CallPool {
 public:
  /// Counts a call, which has been answered when the last copy is gone.
  using Open = std::shared_ptr<void>;

  /// Counts a call that is worked on.
  [[nodiscard]] Open open();

  /// Works on a call. False: too many are queued; it will not.
  [[nodiscard]] bool begin(std::function<void(const Open&)> work);

  /// Works on the rest of a call that has waited, however much is queued; on this thread where the
  /// system has no other one.
  void go_on(const std::function<void()>& rest);

  /// For work that belongs to no call.
  [[nodiscard]] GrowingPool& threads() { return pool_; }

  /// Waits until each call has been answered and no thread works. False: it took longer.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds limit);

 private:
  /// One call that is counted.
  class Count {
   public:
    explicit Count(CallPool& pool);
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    ~Count();

   private:
    CallPool& pool_;
  };

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t open_ = 0;  // calls; guarded by mutex_
  GrowingPool pool_{GrowingPool::Options{}};
};

}  // namespace ws::server
