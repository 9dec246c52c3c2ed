#include "runtime/kernel/plan/size_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ws {
namespace {

constexpr std::array<std::int64_t, 5> kMultiples = {1, 2, 4, 32, 256};
constexpr std::int64_t kBlock = 1024;
constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kHalfWarp = 16;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

bool is_prime(std::int64_t value) {
  for (std::int64_t factor = 2; factor * factor <= value; ++factor) {
    if (value % factor == 0) {
      return false;
    }
  }
  return value > 1;
}

/// The largest prime up to `value`, or 1: a size that no tile divides.
std::int64_t prime_below(std::int64_t value) {
  constexpr std::int64_t kLargestTried = std::int64_t{1} << 24U;  // Keeps the search short.
  for (std::int64_t p = std::min(value, kLargestTried); p > 1; --p) {
    if (is_prime(p)) {
      return p;
    }
  }
  return 1;
}

}  // namespace

std::int64_t smallest_size(const DimSpec& dim) {
  return round_up(std::max<std::int64_t>(dim.min, 1), dim.multiple_of);
}

SizeDraw::SizeDraw(const DimSpec& dim, std::int64_t near, int halvings, std::mt19937_64& random)
    : dim_(dim),
      near_(near),
      halvings_(halvings),
      largest_(dim.values.empty() ? near : *std::max_element(dim.values.begin(), dim.values.end())),
      random_(random) {}

std::int64_t SizeDraw::draw(SizeRule rule) {
  const std::int64_t size = by_rule(rule);
  return size >= smallest_size(dim_) && size <= dim_.max ? size : near_;
}

std::int64_t SizeDraw::by_rule(SizeRule rule) {
  switch (rule) {
    case SizeRule::kBeside:
      return beside();
    case SizeRule::kAny:
      return multiple(smallest_size(dim_), 2 * largest_);
    case SizeRule::kTiny:
      return multiple(smallest_size(dim_) + dim_.multiple_of, between(0.25));
    case SizeRule::kLow:
      return multiple(between(0.25), between(0.5));
    case SizeRule::kHigh:
      return multiple(between(0.5), 2 * largest_);
    case SizeRule::kResidue:
      return of_residue();
    case SizeRule::kBeyond:
    case SizeRule::kOthers:
      return above(std::min(largest_ + (largest_ + 1) / 2, dim_.max));
    case SizeRule::kBlocks:
      return whole(std::max(kWarp, kBlock >> halvings_));
    case SizeRule::kWarps:
      return whole(kWarp);
    case SizeRule::kLast:
      return last_residue();
    case SizeRule::kLeast:
      return smallest_size(dim_);
    case SizeRule::kThin:
    case SizeRule::kThick:
    case SizeRule::kAbove:
      break;
  }
  return above(largest_ + 1);
}

std::int64_t SizeDraw::between(double part) const {
  const auto least = static_cast<double>(smallest_size(dim_));
  return std::llround(least * std::pow(static_cast<double>(near_) / least, part));
}

std::int64_t SizeDraw::multiple(std::int64_t low, std::int64_t high) {
  return log_uniform(low, high) / dim_.multiple_of * dim_.multiple_of;
}

std::int64_t SizeDraw::whole(std::int64_t tile) {
  while (tile > 1 && std::lcm(tile, dim_.multiple_of) > dim_.max) {
    tile /= 2;
  }
  return round_up(log_uniform(1, largest_), std::lcm(tile, dim_.multiple_of));
}

std::int64_t SizeDraw::above(std::int64_t low) {
  return round_up(log_uniform(low, 2 * largest_), dim_.multiple_of);
}

std::int64_t SizeDraw::beside() {
  const std::int64_t units = near_ / dim_.multiple_of;
  const std::array<std::int64_t, 6> all = {
      units - 1,     units + 1,        prime_below(units - 1), prime_below(units * 2 / 3),
      units / 2 + 1, units * 3 / 4 | 1};
  return all.at(random_() % all.size()) * dim_.multiple_of;
}

std::int64_t SizeDraw::last_residue() {
  std::int64_t tile = std::max(kHalfWarp, kMultiples.back() >> halvings_);
  while (tile > 2 && (tile - 1) * dim_.multiple_of > dim_.max) {
    tile /= 2;
  }
  const std::int64_t units = log_uniform(1, largest_ / dim_.multiple_of);
  return (round_up(units, tile) - 1) * dim_.multiple_of;
}

std::int64_t SizeDraw::of_residue() {
  const std::size_t at = random_() % kMultiples.size();
  const std::int64_t multiple = kMultiples.at(at);
  std::int64_t units = log_uniform(1, 2 * largest_ / dim_.multiple_of);
  units = round_up(units, multiple);
  if (at + 1 < kMultiples.size() && units % kMultiples.at(at + 1) == 0) {
    units += multiple;
  }
  return units * dim_.multiple_of;
}

std::int64_t SizeDraw::log_uniform(std::int64_t low, std::int64_t high) {
  const auto least = static_cast<double>(std::max<std::int64_t>(low, 1));
  const double most = std::max(least, static_cast<double>(std::min(high, dim_.max)));
  // Not std::uniform_real_distribution, whose numbers differ between libraries.
  const double share = static_cast<double>(random_() >> 11U) * 0x1p-53;
  return std::llround(least * std::exp(share * std::log(most / least)));
}

}  // namespace ws
