// A small forest of regression trees: what a value would be, and how sure that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/tune/space.h"

namespace ws::tune {

/// Extremely randomised trees: each is grown on all rows, with cuts drawn at random, the best of a
/// few taken. They differ the more the less the rows say. Good for a few hundred rows.
///
/// @source  P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63
///          (2006).
class Forest {
 public:
  struct Guess {
    double mean = 0;
    double spread = 0;  ///< Standard deviation over the trees.
  };

  /// @param rows    At least one, all of the same length.
  /// @param values  One for each row.
  void grow(const std::vector<std::vector<double>>& rows, const std::vector<double>& values,
            std::uint64_t seed);

  [[nodiscard]] bool grown() const { return !roots_.empty(); }

  /// @param row  As long as those it was grown on. Only when grown().
  [[nodiscard]] Guess guess(const std::vector<double>& row) const;

 private:
  struct Node {
    std::size_t feature = 0;
    double cut = 0;          ///< Below: left, else right.
    std::uint32_t left = 0;  ///< 0: a leaf.
    std::uint32_t right = 0;
    double value = 0;  ///< The value of a leaf.
  };

  struct Growth;

  std::uint32_t grow_node(Growth& growth, std::size_t from, std::size_t to, int depth);
  static bool choose_cut(Growth& growth, std::size_t from, std::size_t to, Node& node);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace ws::tune
