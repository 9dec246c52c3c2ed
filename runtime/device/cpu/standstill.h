// A worker's process runs only between doorbell and reply. Otherwise all its threads are stopped,
// so that it can neither look at inputs before its time begins nor continue after its reply.
#pragma once

#include <chrono>

#include <sys/types.h>

#include "runtime/base/result.h"
#include "runtime/queue/launch_time.h"

namespace ws {

/// One child process, stopped and continued by signals that no process can refuse.
class Standstill {
 public:
  /// @param process  A child of this process; runs.
  explicit Standstill(pid_t process)
      : process_(process) {}

  /// Returns when no thread of it runs any more, or when it has ended.
  /// @errors kIo: it is not a child of this process.
  Status stop();

  /// Lets it run again.
  /// @return Processor time that it used since stop(); 0 where that is so little that the clock may
  /// have counted it late, and the process stands still now.
  [[nodiscard]] std::chrono::nanoseconds go_on();

  /// Processor time from the last go_on() until stop(); 0 while it runs.
  [[nodiscard]] std::chrono::nanoseconds used() const { return stopped_at_ - started_at_; }

  /// Processor time since the last go_on(), of a process that runs. @errors kDeviceLost: it ended.
  [[nodiscard]] Result<std::chrono::nanoseconds> used_so_far() const;

  /// And from then, by the clock, until stop(): what came after `reply`, its clock at the reply.
  [[nodiscard]] std::chrono::nanoseconds used_after(std::chrono::nanoseconds reply) const {
    return stopped_at_ - reply;
  }

 private:
  pid_t process_;
  std::chrono::nanoseconds started_at_{0};  ///< By its own clock.
  std::chrono::nanoseconds stopped_at_{0};
};

}  // namespace ws
