// Threads on demand: one more whenever all are busy, up to a cap; idle ones end after a while.
//
// Requests read the archive and files, so a fixed pool would either be wasteful or let a few slow
// ones hold up all the quick ones.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace ws::server {

class GrowingPool {
 public:
  struct Options {
    std::size_t max_threads = 256;
    std::size_t max_queued = 8192;  ///< Beyond this `submit` refuses.
    std::chrono::milliseconds idle_time{5000};
  };

  explicit GrowingPool(Options options);
  GrowingPool(const GrowingPool&) = delete;
  GrowingPool& operator=(const GrowingPool&) = delete;

  /// Runs what is queued to its end, then waits for all threads.
  ~GrowingPool();

  /// False: the queue is full or the pool is stopping; `task` will not run. Any thread.
  [[nodiscard]] bool submit(std::function<void()> task);

  /// As submit(); false too when no thread is free for it and there may not be one more.
  [[nodiscard]] bool submit_now(std::function<void()> task);

  /// As submit(), however much is queued. False: the pool is stopping or has not a single thread.
  [[nodiscard]] bool submit_always(std::function<void()> task);

  /// Waits until nothing is queued or running. False: it took longer than `limit`.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds limit);

 private:
  bool enqueue(std::function<void()> task, bool now, std::unique_lock<std::mutex> lock);
  void work();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;             // a task came, or the end
  std::condition_variable changed_;          // a thread became idle or ended
  std::deque<std::function<void()>> queue_;  // guarded by mutex_
  std::size_t threads_ = 0;                  // guarded by mutex_
  std::size_t idle_ = 0;                     // guarded by mutex_
  bool stopping_ = false;                    // guarded by mutex_
};

}  // namespace ws::server
