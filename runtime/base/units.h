// Factors between units, and sizes that do not change.
#pragma once

namespace ws {

inline constexpr double kMsPerS = 1000;
inline constexpr double kUsPerMs = 1000;

/// Threads of a warp, in CUDA and in what the CPU engine runs.
inline constexpr int kWarpSize = 32;

}  // namespace ws
