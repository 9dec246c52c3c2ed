#include "runtime/lift/orchestration/element_moves.h"

#include <algorithm>

#include "runtime/lift/symbolic/scalars.h"

namespace ws::lift {
namespace {

constexpr int kMostRounds = 1024;

}  // namespace

ElementMoves::ElementMoves(const Tree& tree, const LaunchInput& input, const KernelTexts& texts,
                           const ThreadValues& values, const SharedBuffers& buffers)
    : tree_(tree),
      input_(input),
      texts_(texts),
      values_(values),
      buffers_(buffers) {}

std::optional<std::vector<MovedRow>> ElementMoves::rows_of(NodeId id, const Lanes& active) {
  moved_.clear();
  array_.clear();
  if (!follow(id, active, {}) || moved_.empty()) {
    return std::nullopt;
  }
  std::vector<MovedRow> rows;
  for (const auto& [warpgroup, moved] : moved_) {
    const auto& [to, from] = *moved.begin();
    if (start_.empty() && from < 0) {
      return std::nullopt;  // Before the tensor.
    }
    rows.push_back({warpgroup, to, from, static_cast<std::int64_t>(moved.size())});
    for (const auto& [place, source] : moved) {
      if (place - to != source - from || place - to >= rows.back().count) {
        return std::nullopt;
      }
    }
  }
  return rows;
}

/// False: something else is done there.
bool ElementMoves::follow(NodeId id, const Lanes& active, const Round& round) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock && node.kids.size() == 1) {
    return follow(node.kids[0], active, round);
  }
  if (node.kind == NodeKind::kIf && node.kids.size() == 2) {
    const std::optional<Lanes> truth = texts_.exact(node.kids[0]);
    return truth && round.id == kNone && follow(node.kids[1], within(active, *truth, true), round);
  }
  if (node.kind == NodeKind::kFor && round.id == kNone) {
    return follow_loop(node, active);
  }
  return is_plain_assignment(node) && add(node, active, round);
}

/// `for (int i = threadIdx.x; i < 256; i += blockDim.x)`.
bool ElementMoves::follow_loop(const Node& node, const Lanes& active) {
  const Node& start = tree_.node(node.kids[0]);
  const Node& condition = tree_.node(node.kids[1]);
  const Node& step = tree_.node(node.kids[2]);
  const auto is_variable = [&](NodeId id) {
    return tree_.node(id).kind == NodeKind::kVariable && tree_.node(id).index == start.index;
  };
  if (start.kind != NodeKind::kDeclare || start.kids.size() != 1 ||
      condition.op != COperator::kLess || !is_variable(condition.kids[0]) ||
      step.kind != NodeKind::kAssign || step.op != COperator::kAdd || !is_variable(step.kids[0])) {
    return false;
  }
  const std::optional<Lanes> first = values_.of(start.kids[0]);
  const std::optional<Lanes> limit = values_.of(condition.kids[1]);
  const std::optional<Lanes> by = values_.of(step.kids[1]);
  if (!first || !limit || !by) {
    return false;
  }
  Round round{start.index, *first};
  for (int rounds = 0; rounds < kMostRounds; ++rounds) {
    const Lanes left = zip_lanes(
        round.values, *limit, [](std::int64_t a, std::int64_t b) { return std::int64_t{a < b}; });
    const Lanes own = within(active, left, true);
    if (std::ranges::all_of(own, [](std::int64_t one) { return one == 0; })) {
      return true;
    }
    if (!follow(node.kids[3], own, round)) {
      return false;
    }
    round.values =
        zip_lanes(round.values, *by, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  return false;
}

/// `s[t] = order[row * 64 + t];`
bool ElementMoves::add(const Node& node, const Lanes& active, const Round& round) {
  const Node& target = tree_.node(node.kids[0]);
  const Node& source = tree_.node(node.kids[1]);
  if (target.kind != NodeKind::kIndex || source.kind != NodeKind::kIndex) {
    return false;
  }
  const std::string array = texts_.of(target.kids[0]);
  const std::string tensor = texts_.of(source.kids[0]);
  const SharedArray* const known = buffers_.find(array);
  const auto global = std::ranges::find(input_.tensors, tensor,
                                        [](const TensorInput& one) { return "self." + one.name; });
  const Scalars scalars(tree_);
  if (known == nullptr || known->barrier || known->dims.size() != 1 ||
      global == input_.tensors.end() || global->shape.size() != 1 ||
      scalars.dtype_of(target.type) != known->type ||
      scalars.dtype_of(source.type) != known->type || global->type != known->type) {
    return false;
  }
  const std::optional<Index> to = index_of(target.kids[1], round);
  const std::optional<Index> from = index_of(source.kids[1], round);
  if (!to || !from || !to->shared.empty() ||
      (!moved_.empty() && (array != array_ || tensor != tensor_ || from->shared != start_))) {
    return false;
  }
  array_ = array;
  tensor_ = tensor;
  start_ = from->shared;
  for (std::size_t lane = 0; lane < values_.threads(); ++lane) {
    const std::int64_t place = lane_of(to->own, lane);
    const bool copies = lane_of(active, lane) != 0;
    if (copies && (place < 0 || place >= known->dims[0])) {
      return false;
    }
    const auto warpgroup = static_cast<int>(lane / kWarpgroupThreads);
    if (copies && !moved_[warpgroup].emplace(place, lane_of(from->own, lane)).second) {
      return false;  // Two threads write one element.
    }
  }
  return true;
}

std::optional<Lanes> ElementMoves::lanes_of(NodeId id, const Round& round) const {
  const Node& node = tree_.node(id);
  return node.kind == NodeKind::kVariable && node.index == round.id ? round.values : values_.of(id);
}

std::optional<ElementMoves::Index> ElementMoves::index_of(NodeId id, const Round& round) const {
  if (const std::optional<Lanes> lanes = lanes_of(id, round)) {
    return Index{"", *lanes};
  }
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kCast) {
    return texts_.keeps_bits(node) ? index_of(node.kids[0], round) : std::nullopt;
  }
  const bool subtracts = node.kind == NodeKind::kBinary && node.op == COperator::kSubtract;
  if (subtracts || (node.kind == NodeKind::kBinary && node.op == COperator::kAdd)) {
    const std::optional<Index> left = index_of(node.kids[0], round);
    const std::optional<Index> right = index_of(node.kids[1], round);
    if (!left || !right || (subtracts && !right->shared.empty())) {
      return std::nullopt;
    }
    const bool both = !left->shared.empty() && !right->shared.empty();
    return Index{both ? left->shared + " + " + right->shared : left->shared + right->shared,
                 zip_lanes(left->own, right->own, [&](std::int64_t one, std::int64_t other) {
                   return subtracts ? one - other : one + other;
                 })};
  }
  const std::string shared = texts_.of(id);
  return shared.empty() || texts_.is_data(id) ? std::nullopt
                                              : std::optional(Index{"(" + shared + ")", {0}});
}

}  // namespace ws::lift
