// The size of a tensor map as an argument of a launch.
// Source: CUDA Driver API, CUtensorMap.
#pragma once

#include <cstdint>

namespace ws {

inline constexpr std::uint32_t kTensorMapBytes = 128;

}  // namespace ws
