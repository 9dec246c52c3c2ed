// Which sectors of memory a GPU's first cache still holds for a block.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::cpu {

/// 64 KiB, in sets of four sectors that push out the one that was used longest ago. An H100 has 256
/// KiB of shared memory and first cache together, for all blocks that it holds.
class FirstCache {
 public:
  void clear() { sectors_.fill(0); }

  /// Whether it had the sector; from now on it has. @param sector  An address over 32.
  bool has(std::uint64_t sector) {
    const std::uint64_t key = sector + 1;  // 0 is an empty place.
    auto* const set = set_of(key);
    auto* const at = std::find(set, set + kWays, key);
    const bool known = at != set + kWays;
    std::rotate(set, known ? at : set + kWays - 1, (known ? at : set + kWays - 1) + 1);
    *set = key;
    return known;
  }

  /// The sector was written: it is read from L2 again.
  void drop(std::uint64_t sector) {
    auto* const set = set_of(sector + 1);
    std::replace(set, set + kWays, sector + 1, std::uint64_t{0});
  }

 private:
  std::uint64_t* set_of(std::uint64_t key) {
    return sectors_.data() + (key * 0x9e3779b97f4a7c15ULL >> kShift) * kWays;
  }

  static constexpr std::size_t kWays = 4;
  static constexpr unsigned kSetBits = 9;
  static constexpr unsigned kShift = 64 - kSetBits;

  std::array<std::uint64_t, (std::size_t{1} << kSetBits) * kWays> sectors_{};
};

}  // namespace ws::cpu
