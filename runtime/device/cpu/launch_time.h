// How long a launch may take: of the time in which its worker has a core. On a busy machine a right
// kernel would meet a limit by the clock.
#pragma once

#include <algorithm>
#include <chrono>

namespace ws::cpu {

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

}  // namespace ws::cpu
