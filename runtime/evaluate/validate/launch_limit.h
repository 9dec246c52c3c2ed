// How long a candidate may run before it counts as hanging. A limit follows from the work, which
// the reference has done already, and from how busy the machine is; no right kernel should meet it.
#pragma once

#include <chrono>

namespace ws {

struct LaunchWork {
  double reference_us = 0;  ///< The reference took so long on the same inputs, by the wall clock.
  double waiting = 0;       ///< Processes that ran or waited for a core, on average; 0 = unknown.
  unsigned cores = 1;
};

/// 200 times the reference, with checks, and two seconds; times the processes that share a core,
/// up to 16. Never more than a minute or 30 times the reference, whichever is longer, times those.
std::chrono::milliseconds launch_limit(const LaunchWork& work);

/// The system's load average over the last minute; 0 where it has none. Any thread.
double waiting_processes();

}  // namespace ws
