// Wakes those that look on: something has changed in a job queue of this process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace ws {

/// Any thread. Costs next to nothing while nobody waits.
class QueueChanges {
 public:
  /// A job was queued, has moved on or has ended.
  void note();

  /// Waits until there was a change since the one of that number, or `stop` is requested.
  /// @param seen  What this returned the last time; 0: it returns at once.
  /// @return  The number of the newest change.
  std::uint64_t wait(std::uint64_t seen, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any noted_;
  std::uint64_t changes_ = 1;  // guarded by mutex_
};

/// Those of all queues of the process.
QueueChanges& queue_changes();

}  // namespace ws
