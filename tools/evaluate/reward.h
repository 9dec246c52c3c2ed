// What a kernel is worth to a training loop.
#pragma once

#include <string>

namespace ws {

/// Makora's published offset: a kernel as fast as its baseline earns sigmoid(0.2), about 0.55.
inline constexpr double kRewardOffset = 1.8;

/// Whether a benchmark's verdict is of a kernel that was right whenever it was timed.
bool is_valid(const std::string& benchmark_verdict);

/// sigmoid(1 + max(0, speedup) - offset), in (0, 1): a wrong kernel earns 0, so a right one,
/// however slow, earns more.
///
/// @param speedup  Time of the baseline over time of the kernel.
double reward(double speedup, double offset);

}  // namespace ws
