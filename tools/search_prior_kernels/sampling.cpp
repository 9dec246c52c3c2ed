#include "tools/search_prior_kernels/sampling.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace ws {
namespace {

constexpr double kEmptyShare = 0.1;
constexpr double kFailedShare = 0.1;
constexpr double kUntimed = 0.5;

/// In [0, 1). std::uniform_real_distribution may differ between libraries; equal seeds must not.
double next(std::mt19937_64& random) {
  constexpr unsigned kUnused = 11;  // A double holds 53 bits.
  return static_cast<double>(random() >> kUnused) * 0x1p-53;
}

}  // namespace

std::string_view name_of(SampledKind kind) {
  switch (kind) {
    case SampledKind::kEmpty:
      return "empty";
    case SampledKind::kFailed:
      return "failed";
    case SampledKind::kPassed:
      break;
  }
  return "passed";
}

SampledKind sampled_kind(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double draw = next(random);
  if (draw < kEmptyShare) {
    return SampledKind::kEmpty;
  }
  return draw < kEmptyShare + kFailedShare ? SampledKind::kFailed : SampledKind::kPassed;
}

std::vector<SearchHit> sampled(std::vector<SearchHit> hits, std::uint64_t seed, std::size_t limit) {
  const SampledKind kind = sampled_kind(seed);
  std::erase_if(hits, [kind](const SearchHit& hit) {
    return kind == SampledKind::kEmpty || hit.passed != (kind == SampledKind::kPassed);
  });
  std::mt19937_64 random(seed);
  random.discard(1);  // The first number chose the kind.
  std::vector<SearchHit> drawn;
  while (!hits.empty() && drawn.size() < limit) {
    std::vector<double> weights;
    for (const SearchHit& hit : hits) {
      weights.push_back(hit.passed ? std::max(0.0, hit.speed_up().value_or(kUntimed)) : 1);
    }
    double left = next(random) * std::accumulate(weights.begin(), weights.end(), 0.0);
    std::size_t at = 0;
    while (at + 1 < hits.size() && left >= weights[at]) {
      left -= weights[at++];
    }
    drawn.push_back(std::move(hits[at]));
    hits.erase(hits.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return drawn;
}

}  // namespace ws
