// How long a candidate may run before it counts as hanging. The limit follows from the work, which
// the reference has done already; no right kernel should meet it. On the CPU engine it is of the
// time in which the worker has a core (queue/launch_time.h).
#pragma once

#include <chrono>
#include <string_view>

namespace ws {

/// 200 times the reference, with checks, and two seconds; never more than a minute or 30 times the
/// reference, whichever is longer.
/// @param reference_us  The reference took so long on the same inputs, by the clock; 0: unknown.
std::chrono::milliseconds launch_limit(double reference_us);

/// A launch of a kernel in this language has so many times the limit: more where an executor runs
/// it, statement by statement. That has limits of its own on steps, so a kernel that hangs ends
/// earlier.
int launch_patience(std::string_view language, bool emulated);

}  // namespace ws
