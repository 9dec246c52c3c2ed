// Aligns the equal elements of two sequences: the first step of every comparison of texts here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ws {

/// Numbers for texts: equal texts get equal numbers. The texts must outlive it.
class TextNumbers {
 public:
  std::uint32_t operator()(std::string_view text) {
    return numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

using AlignedPairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct AlignOptions {
  /// The size of a piece, in pairs of one element of each sequence, that is aligned exactly.
  std::size_t most_cells = 4'000'000;
  /// preferred[i] is the element of the second sequence that element i should rather belong to than
  /// to an equal one; empty, or one for each element of the first sequence.
  std::span<const std::size_t> preferred = {};
};

struct Alignment {
  AlignedPairs pairs;   ///< Indices of equal elements; both numbers rise.
  bool longest = true;  ///< No alignment has more pairs.
};

/// Pairs of a longest common subsequence; of several, one with the most preferred pairs. Equal
/// beginnings and ends belong together, and elements of the first sequence are left out before
/// those of the second. Memory is linear. Sequences whose differing middles are larger than
/// `most_cells` are parted at elements that both have once, and a part without any has no pairs:
/// then `longest` is false.
Alignment align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const AlignOptions& options = {});

}  // namespace ws
