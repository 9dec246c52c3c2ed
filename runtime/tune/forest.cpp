#include "runtime/tune/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ws::tune {
namespace {

constexpr std::size_t kTrees = 16;
constexpr std::size_t kSmallestSplit = 3;  // Rows; below, a leaf.
constexpr int kDeepest = 24;

}  // namespace

struct Forest::Growth {
  const std::vector<std::vector<double>>& rows;
  const std::vector<double>& values;
  std::vector<std::uint32_t> order;  ///< Rows, those of one node beside each other.
  Random random;
};

/// The best of some random cuts, by how much they lessen the squared error.
bool Forest::choose_cut(Growth& growth, std::size_t from, std::size_t to, Node& node) {
  const std::size_t features = growth.rows.front().size();
  double best = -1;
  for (std::size_t i = 0; i < features; ++i) {
    const std::size_t feature = i;
    double low = growth.rows[growth.order[from]][feature];
    double high = low;
    for (std::size_t k = from; k < to; ++k) {
      const double x = growth.rows[growth.order[k]][feature];
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (!(low < high)) {
      continue;
    }
    const double cut = low + (high - low) * std::max(pick_share(growth.random), 1e-9);
    double left_sum = 0;
    double right_sum = 0;
    double left = 0;
    for (std::size_t k = from; k < to; ++k) {
      const bool is_left = growth.rows[growth.order[k]][feature] < cut;
      left += is_left ? 1 : 0;
      (is_left ? left_sum : right_sum) += growth.values[growth.order[k]];
    }
    const double right = static_cast<double>(to - from) - left;
    if (left == 0 || right == 0) {
      continue;
    }
    // The reduction of the squared error, but for a constant.
    const double mean = (left_sum + right_sum) / (left + right);
    const double left_off = left_sum / left - mean;
    const double right_off = right_sum / right - mean;
    const double gain = left * left_off * left_off + right * right_off * right_off;
    if (gain > best) {
      best = gain;
      node.feature = feature;
      node.cut = cut;
    }
  }
  return best > 0;
}

std::uint32_t Forest::grow_node(Growth& growth, std::size_t from, std::size_t to, int depth) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  Node node;
  if (to - from >= kSmallestSplit && depth < kDeepest && choose_cut(growth, from, to, node)) {
    const auto begin = growth.order.begin();
    const auto middle = std::partition(
        begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
        [&](std::uint32_t row) { return growth.rows[row][node.feature] < node.cut; });
    const auto split = static_cast<std::size_t>(middle - begin);
    node.left = grow_node(growth, from, split, depth + 1);
    node.right = grow_node(growth, split, to, depth + 1);
  } else {
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) {
      sum += growth.values[growth.order[k]];
    }
    node.value = sum / static_cast<double>(to - from);
  }
  nodes_[index] = node;
  return index;
}

void Forest::grow(const std::vector<std::vector<double>>& rows, const std::vector<double>& values,
                  std::uint64_t seed) {
  nodes_.clear();
  roots_.clear();
  Growth growth{rows, values, std::vector<std::uint32_t>(rows.size()), Random(seed)};
  std::iota(growth.order.begin(), growth.order.end(), 0U);
  for (std::size_t i = 0; i < kTrees; ++i) {
    roots_.push_back(grow_node(growth, 0, rows.size(), 0));
  }
}

Forest::Guess Forest::guess(const std::vector<double>& row) const {
  double sum = 0;
  double squares = 0;
  for (const std::uint32_t root : roots_) {
    const Node* node = &nodes_[root];
    while (node->left != 0) {
      node = &nodes_[row[node->feature] < node->cut ? node->left : node->right];
    }
    sum += node->value;
    squares += node->value * node->value;
  }
  const auto count = static_cast<double>(roots_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace ws::tune
