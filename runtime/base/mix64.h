// One number made from another so that every bit of the one depends on every bit of the other.
#pragma once

#include <cstdint>

namespace ws {

/// The step of SplitMix64's state.
inline constexpr std::uint64_t kMixStep = 0x9E3779B97F4A7C15ULL;

/// A well mixed 64-bit value: the output function of SplitMix64 (S. Vigna, public domain). Never
/// change it: archives hold signatures that were made by it.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += kMixStep;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

}  // namespace ws
