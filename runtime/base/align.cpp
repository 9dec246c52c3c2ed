#include "runtime/base/align.h"

#include <algorithm>
#include <iterator>

namespace ws {
namespace {

/// How often what lies between unique elements is parted again.
constexpr int kMostParts = 8;
/// A pair is worth more than all preferences: there is at most one for each element.
constexpr std::uint64_t kPair = std::uint64_t{1} << 32U;

/// Elements [from, to) of a sequence.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;

  [[nodiscard]] bool empty() const { return from == to; }

  [[nodiscard]] std::size_t size() const { return to - from; }
};

/// A longest selection whose second numbers rise as the first ones do.
AlignedPairs rising(const AlignedPairs& all) {
  std::vector<std::size_t> ends;  // The pair that ends lowest of the selections of each length.
  std::vector<std::size_t> previous(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = std::lower_bound(
        ends.begin(), ends.end(), all[i].second,
        [&](std::size_t end, std::size_t second) { return all[end].second < second; });
    previous[i] = at == ends.begin() ? i : *std::prev(at);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  AlignedPairs chosen;
  for (std::size_t length = ends.size(), i = ends.empty() ? 0 : ends.back(); length > 0;
       --length, i = previous[i]) {
    chosen.push_back(all[i]);
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

class Aligner {
 public:
  Aligner(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
          const AlignOptions& options)
      : a_(a),
        b_(b),
        options_(options) {}

  Alignment run() {
    piece({0, a_.size()}, {0, b_.size()}, kMostParts);
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::uint64_t worth(std::size_t i, std::size_t j) const {
    const std::span<const std::size_t> preferred = options_.preferred;
    return a_[i] != b_[j] ? 0 : kPair + (!preferred.empty() && preferred[i] == j ? 1U : 0U);
  }

  /// A pair of first or of last elements that some best alignment has.
  [[nodiscard]] bool surely(std::size_t i, std::size_t j) const {
    return a_[i] == b_[j] && (options_.preferred.empty() || options_.preferred[i] == j);
  }

  void pair(std::size_t i, std::size_t j) { result_.pairs.emplace_back(i, j); }

  void piece(Span a, Span b, int parts) {
    while (!a.empty() && !b.empty() && surely(a.from, b.from)) {
      pair(a.from++, b.from++);
    }
    std::size_t alike = 0;
    while (!a.empty() && !b.empty() && surely(a.to - 1, b.to - 1)) {
      --a.to;
      --b.to;
      ++alike;
    }
    if (a.empty() || b.empty() || a.size() <= options_.most_cells / b.size()) {
      exact(a, b);
    } else {
      result_.longest = false;
      part(a, b, parts);
    }
    for (std::size_t i = 0; i < alike; ++i) {
      pair(a.to + i, b.to + i);
    }
  }

  /// Pieces between the elements that both have once.
  void part(Span a, Span b, int parts) {
    const AlignedPairs at = parts > 0 ? anchors(a, b) : AlignedPairs();
    for (const auto& [i, j] : at) {
      piece({a.from, i}, {b.from, j}, parts - 1);
      pair(i, j);
      a.from = i + 1;
      b.from = j + 1;
    }
    if (!at.empty()) {
      piece(a, b, parts - 1);
    }
  }

  /// Elements that both pieces have once, as many as stand in one order.
  [[nodiscard]] AlignedPairs anchors(Span a, Span b) const {
    struct Places {
      std::size_t in_a = 0;
      std::size_t in_b = 0;
      std::size_t i = 0;
      std::size_t j = 0;
    };

    std::unordered_map<std::uint32_t, Places> places;
    for (std::size_t i = a.from; i < a.to; ++i) {
      Places& place = places[a_[i]];
      ++place.in_a;
      place.i = i;
    }
    for (std::size_t j = b.from; j < b.to; ++j) {
      Places& place = places[b_[j]];
      ++place.in_b;
      place.j = j;
    }
    AlignedPairs unique;
    for (const auto& [element, place] : places) {
      if (place.in_a == 1 && place.in_b == 1) {
        unique.emplace_back(place.i, place.j);
      }
    }
    std::sort(unique.begin(), unique.end());
    return rising(unique);
  }

  /// Hirschberg's way: where the best path crosses the middle row needs two rows of memory, and
  /// the two halves are then pieces of their own.
  void exact(Span a, Span b) {
    if (a.empty() || b.empty()) {
      return;
    }
    if (a.size() == 1) {
      single(a.from, b);
      return;
    }
    const std::size_t middle = a.from + a.size() / 2;
    const std::size_t cross = crossing(a, b, middle);
    exact({a.from, middle}, {b.from, cross});
    exact({middle, a.to}, {cross, b.to});
  }

  /// The first of the elements of b that are worth the most to element i.
  void single(std::size_t i, Span b) {
    std::size_t best = b.from;
    for (std::size_t j = b.from; j < b.to; ++j) {
      best = worth(i, j) > worth(i, best) ? j : best;
    }
    if (worth(i, best) != 0) {
      pair(i, best);
    }
  }

  /// At which element of b the best path through both spans reaches element `middle` of a.
  std::size_t crossing(Span a, Span b, std::size_t middle) {
    const std::size_t width = b.size();
    // score_[j]: the worth of the best path from here, element b.from + j, to both ends. cross_[j]:
    // where that path reaches the middle.
    score_.assign(width + 1, 0);
    cross_.assign(width + 1, 0);
    for (std::size_t i = a.to; i-- > a.from;) {
      std::uint64_t diagonal = 0;  // Scores and crossings of one row further, one element further.
      std::size_t diagonal_cross = cross_[width];
      for (std::size_t j = width; j-- > 0;) {
        const std::uint64_t below = score_[j];
        const std::size_t below_cross = cross_[j];
        const std::uint64_t both = worth(i, b.from + j);
        if (both != 0 && both + diagonal >= std::max(below, score_[j + 1])) {
          score_[j] = both + diagonal;
          cross_[j] = diagonal_cross;
        } else if (below < score_[j + 1]) {
          score_[j] = score_[j + 1];
          cross_[j] = cross_[j + 1];
        }
        diagonal = below;
        diagonal_cross = below_cross;
      }
      for (std::size_t j = 0; i == middle && j <= width; ++j) {
        cross_[j] = b.from + j;
      }
    }
    return cross_[0];
  }

  std::span<const std::uint32_t> a_;
  std::span<const std::uint32_t> b_;
  const AlignOptions& options_;
  Alignment result_;
  std::vector<std::uint64_t> score_;
  std::vector<std::size_t> cross_;
};

}  // namespace

Alignment align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const AlignOptions& options) {
  return Aligner(a, b, options).run();
}

}  // namespace ws
