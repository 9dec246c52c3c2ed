// How long a launch may take: of the time in which its worker has a core. On a busy machine a right
// kernel would meet a limit by the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include <sys/types.h>

#include "runtime/base/clock.h"
#include "runtime/base/result.h"
#include "runtime/queue/worker_call.h"

namespace ws {

/// Processor time that the process's threads have used. @errors kDeviceLost: it has ended.
Result<std::chrono::nanoseconds> processor_time_of(pid_t process);

/// A launch ends after so many times its limit by the clock, whatever its worker has used.
inline constexpr int kMostSharers = 16;

/// How long to wait on for a launch whose limit has passed by the clock: what its worker has not
/// used of it. 0: the launch is over its limit.
///
/// @param used    Processor time of the worker. Of a worker with several threads it goes faster
/// than
///                the clock: such a launch has no more than the clock gives it.
/// @param waited  By the clock.
inline std::chrono::nanoseconds time_left(std::chrono::nanoseconds limit,
                                          std::chrono::nanoseconds used,
                                          std::chrono::nanoseconds waited) {
  if (waited >= kMostSharers * limit) {
    return std::chrono::nanoseconds(0);
  }
  return std::max(std::chrono::nanoseconds(0), limit - used);
}

/// The answer to a launch.
/// @param most   The longest answer. @param start  The launch's begin. @param used  Processor time
///               of the worker since then; an error ends the wait.
/// @errors as WorkerCall::wait(); kTimeout: the launch is over its limit.
Result<std::string> wait_for_launch(const WorkerCall& call, std::size_t most,
                                    std::chrono::nanoseconds limit, Clock::time_point start,
                                    const std::function<Result<std::chrono::nanoseconds>()>& used);

}  // namespace ws
