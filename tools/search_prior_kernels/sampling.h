// Hits for training loops: drawn instead of ranked, so that a policy also sees what is slower, what
// failed, and nothing at all.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/archive/search/search.h"

namespace ws {

/// The number of kernels that are searched, to draw from.
inline constexpr std::size_t kSampledFrom = 40;

/// The kernels that are drawn from: none, those that failed, those that passed.
enum class SampledKind : std::uint8_t { kEmpty, kFailed, kPassed };
/// "empty", "failed", "passed".
std::string_view name_of(SampledKind kind);

/// kEmpty, kFailed and kPassed for 10, 10 and 80 of 100 seeds.
SampledKind sampled_kind(std::uint64_t seed);

/// Draws up to `limit` of the hits of that kind, each once: failures with equal chance, kernels
/// that passed by their speed-up, untimed ones as if it were 0.5. Equal seeds and hits draw the
/// same.
std::vector<SearchHit> sampled(std::vector<SearchHit> hits, std::uint64_t seed, std::size_t limit);

}  // namespace ws
