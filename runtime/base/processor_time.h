// Processor time of a thread, which others on the machine do not make longer.
#pragma once

#include <chrono>

#include <time.h>

namespace ws {

/// The time that the calling thread has used since it began.
inline std::chrono::nanoseconds thread_processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace ws
