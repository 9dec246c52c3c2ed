// Counter-based random numbers: a value depends on the seed and its place only, so a fill is the
// same everywhere and two streams never need a shared state.
//
// Source: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), Philox4x32-10.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace ws {

// Multipliers and key steps as the paper gives them.
inline constexpr std::uint64_t kPhiloxMultiply0 = 0xD2511F53U;
inline constexpr std::uint64_t kPhiloxMultiply1 = 0xCD9E8D57U;
inline constexpr std::uint32_t kPhiloxStep0 = 0x9E3779B9U;
inline constexpr std::uint32_t kPhiloxStep1 = 0xBB67AE85U;

/// Ten rounds of Philox4x32 over one counter block.
inline std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kPhiloxMultiply0 * counter[0];
    const std::uint64_t p1 = kPhiloxMultiply1 * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32U) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32U) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(p0)};
    key[0] += kPhiloxStep0;
    key[1] += kPhiloxStep1;
  }
  return counter;
}

/// A stream of numbers from one seed. Copyable; one thread each.
class Random {
 public:
  explicit Random(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)} {}

  std::uint32_t next_u32() {
    if (used_ == block_.size()) {
      block_ = philox4x32(
          {static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32U), 0, 0},
          key_);
      ++counter_;
      used_ = 0;
    }
    return block_[used_++];
  }

  std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return high << 32U | next_u32();
  }

  /// Uniform in [0, 1), 32 random bits.
  double uniform() { return next_u32() * 0x1p-32; }

  /// Uniform whole number in [0, count); count >= 1. The bias, below count / 2^64, is not seen.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{next_u64()} * count >> 64U);
  }

  /// Standard normal (Box-Muller, in pairs), |value| < 6.7.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const float u = (static_cast<float>(next_u32() >> 8U) + 0.5F) * 0x1p-24F;
    const float angle =
        static_cast<float>(next_u32() >> 8U) * (0x1p-23F * std::numbers::pi_v<float>);
    const float radius = std::sqrt(-2.0F * std::log(u));
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> block_{};
  std::size_t used_ = 4;
  std::uint64_t counter_ = 0;
  float spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace ws
