// Threads of a block, by their turns.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/device/cpu/run_order.h"

namespace ws::cpu {

class TurnSet {
 public:
  /// The turn of nobody.
  static constexpr std::size_t kNone = kMaxBlockThreads;

  /// Empty, for the turns of a block of `threads`.
  void start(std::size_t threads) {
    words_ = (threads + kBits - 1) / kBits;
    bits_.fill(0);
  }

  void add(std::size_t turn) { bits_[turn / kBits] |= bit(turn); }

  void remove(std::size_t turn) { bits_[turn / kBits] &= ~bit(turn); }

  [[nodiscard]] bool has(std::size_t turn) const { return (bits_[turn / kBits] & bit(turn)) != 0; }

  /// Moves all turns of `other` into this set.
  void take(TurnSet& other) {
    // A whole word of fibers at once: this runs at every barrier of every block.
    for (std::size_t word = 0; word < words_; ++word) {
      bits_[word] |= other.bits_[word];
      other.bits_[word] = 0;
    }
  }

  /// The next turn in the set, `from` included, then from the first one on.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    std::size_t word = from / kBits;
    std::uint64_t bits = bits_[word] & (~std::uint64_t{0} << (from % kBits));
    for (std::size_t tried = 0; tried <= words_; ++tried) {
      if (bits != 0) {
        return word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      }
      word = word + 1 == words_ ? 0 : word + 1;
      bits = bits_[word];
    }
    return kNone;
  }

  /// Calls `visit(turn)` for each turn in the set, in ascending order.
  template <typename Visit>
  void visit(Visit visit) const {
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
        visit(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

  /// The 32 turns from `first` on, a multiple of 32: one bit each.
  [[nodiscard]] std::uint32_t warp_at(std::size_t first) const {
    return static_cast<std::uint32_t>(bits_[first / kBits] >> (first % kBits));
  }

 private:
  static constexpr std::size_t kBits = 64;

  static std::uint64_t bit(std::size_t turn) { return std::uint64_t{1} << (turn % kBits); }

  std::array<std::uint64_t, kMaxBlockThreads / kBits> bits_{};
  std::size_t words_ = 0;  ///< Those in use.
};

}  // namespace ws::cpu
