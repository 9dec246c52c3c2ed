// Work that may wait some milliseconds, so that much of it is done at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace ws {

/// Calls a function 100 ms after it was asked for, on a thread of its own: many askings are one
/// call. The thread starts with the first one and ends with the process, so an object is never
/// destroyed.
class LateWork {
 public:
  /// @param work  Any thread's.
  explicit LateWork(void (*work)() noexcept)
      : work_(work) {}

  /// The work sees all that was noted for it before. Any thread; takes a lock only where nobody has
  /// asked yet. False: the system has no thread, and the caller has to do the work.
  bool ask() noexcept;

 private:
  bool begin() noexcept;
  [[noreturn]] void run();

  void (*const work_)() noexcept;
  std::atomic<bool> asked_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false;  // guarded by mutex_
};

}  // namespace ws
