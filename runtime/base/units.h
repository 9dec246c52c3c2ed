// How many of one unit make another.
#pragma once

namespace ws {

inline constexpr double kMsPerS = 1000;
inline constexpr double kUsPerMs = 1000;

}  // namespace ws
