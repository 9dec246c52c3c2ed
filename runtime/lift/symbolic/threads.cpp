#include "runtime/lift/symbolic/threads.h"

#include <algorithm>

#include "runtime/base/units.h"

namespace ws::lift {
namespace {

/// The result in two's complement. Nothing: C does not define it, or the operator has none.
std::optional<std::int64_t> result_of(COperator op, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMostBits = 62;
  const bool shifts = b >= 0 && b <= kMostBits;
  const bool divides = a >= 0 && b > 0;
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  const auto known = [](bool defined, auto value) {
    return defined ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  };
  switch (op) {
    case COperator::kAdd:
      return known(true, left + right);
    case COperator::kSubtract:
      return known(true, left - right);
    case COperator::kMultiply:
      return known(true, left * right);
    case COperator::kDivide:
      return known(divides, divides ? a / b : 0);
    case COperator::kRemainder:
      return known(divides, divides ? a % b : 0);
    case COperator::kShiftLeft:
      return known(shifts, shifts ? left << right : 0);
    case COperator::kShiftRight:
      return known(shifts, shifts ? a >> b : 0);
    case COperator::kBitAnd:
      return known(true, left & right);
    case COperator::kBitOr:
      return known(true, left | right);
    case COperator::kBitXor:
      return known(true, left ^ right);
    case COperator::kLess:
      return known(true, a < b);
    case COperator::kLessEqual:
      return known(true, a <= b);
    case COperator::kGreater:
      return known(true, a > b);
    case COperator::kGreaterEqual:
      return known(true, a >= b);
    case COperator::kEqual:
      return known(true, a == b);
    case COperator::kNotEqual:
      return known(true, a != b);
    default:
      return std::nullopt;
  }
}

/// The variable that a node changes: `i = 2`, `++i`; kNone: it does something else.
VariableId target_of(const Tree& tree, const Node& node) {
  if (!is_step(node.op) && node.kind != NodeKind::kAssign) {
    return kNone;
  }
  const Node& target = tree.node(node.kids[0]);
  return target.kind == NodeKind::kVariable ? target.index : kNone;
}

}  // namespace

ThreadValues::ThreadValues(const Tree& tree, const std::array<std::int64_t, 3>& block)
    : tree_(tree),
      block_(block),
      threads_(static_cast<std::size_t>(block[0] * block[1] * block[2])) {
  note_changes();
  // A declaration's value stands before it in the table: in order, all that it uses is known.
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const Node& node = tree_.nodes[i];
    if (node.kind == NodeKind::kDeclare && node.kids.size() == 1 &&
        (!changed_.contains(node.index) || change_.contains(node.index))) {
      values_[node.index] = of(node.kids[0]);
    }
    if (const VariableId id = target_of(tree_, node); change_.contains(id)) {
      Change& change = change_.at(id);
      change.after = change.at == static_cast<NodeId>(i) ? changed_value(node) : change.after;
    }
  }
}

/// The block whose statement a change is; kNone: it is part of one, or of a loop.
NodeId ThreadValues::block_of_change(NodeId id, const std::vector<NodeId>& parents) const {
  const NodeId block = parents[static_cast<std::size_t>(id)];
  if (block == kNone || tree_.node(block).kind != NodeKind::kBlock) {
    return kNone;
  }
  for (NodeId at = block; at != kNone; at = parents[static_cast<std::size_t>(at)]) {
    const NodeKind kind = tree_.node(at).kind;
    if (kind == NodeKind::kFor || kind == NodeKind::kWhile || kind == NodeKind::kDo) {
      return kNone;
    }
  }
  return block;
}

std::optional<Lanes> ThreadValues::changed_value(const Node& change) const {
  const std::optional<Lanes> before = of(change.kids[0]);
  const std::optional<Lanes> by = is_step(change.op) ? Lanes{1} : of(change.kids[1]);
  const COperator op = step_operator(change.op);
  if (op == COperator::kNone) {
    return by;
  }
  if (!before || !by || (op != COperator::kAdd && op != COperator::kSubtract)) {
    return std::nullopt;
  }
  return zip_lanes(*before, *by,
                   [&](std::int64_t a, std::int64_t b) { return result_of(op, a, b).value_or(0); });
}

std::optional<Lanes> ThreadValues::variable(VariableId id, NodeId at) const {
  const auto change = change_.find(id);
  if (change != change_.end() && at > change->second.at) {
    return at < change->second.block ? change->second.after : std::nullopt;
  }
  const auto known = values_.find(id);
  return known == values_.end() ? std::nullopt : known->second;
}

void ThreadValues::note_changes() {
  std::vector<NodeId> parents(tree_.nodes.size(), kNone);
  std::map<VariableId, int> times;
  const auto note = [&](VariableId id, int count) {
    changed_.insert(id);
    times[id] += count;
  };
  constexpr int kUnknown = 2;
  for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
    const Node& node = tree_.nodes[i];
    for (const NodeId kid : node.kids) {
      parents[static_cast<std::size_t>(kid)] = static_cast<NodeId>(i);
    }
    if (const VariableId id = target_of(tree_, node); id != kNone) {
      change_[id].at = static_cast<NodeId>(i);
      note(id, 1);
    }
    // A function or instruction that gets an address may write there.
    const std::size_t outputs = node.kind == NodeKind::kAsm ? static_cast<std::size_t>(node.value)
                                : node.kind == NodeKind::kAddress ? 1
                                                                  : 0;
    for (std::size_t k = 0; k < outputs && k < node.kids.size(); ++k) {
      if (tree_.node(node.kids[k]).kind == NodeKind::kVariable) {
        note(tree_.node(node.kids[k]).index, kUnknown);
      }
    }
    for (std::size_t k = 0; node.kind == NodeKind::kCall && k < node.kids.size(); ++k) {
      const Node& argument = tree_.node(node.kids[k]);
      const auto& params =
          node.index == kNone ? std::vector<VariableId>() : tree_.function(node.index).params;
      if (argument.kind == NodeKind::kVariable && k < params.size() &&
          tree_.variable(params[k]).reference) {
        note(argument.index, kUnknown);
      }
    }
  }
  for (auto& [id, change] : change_) {
    change.block = times[id] == 1 ? block_of_change(change.at, parents) : kNone;
  }
  std::erase_if(change_, [](const auto& entry) { return entry.second.block == kNone; });
}

std::optional<Lanes> ThreadValues::of(NodeId id) const {
  const Node& node = tree_.node(id);
  switch (node.kind) {
    case NodeKind::kInt:
      return Lanes{node.value};
    case NodeKind::kBuiltin:
      return builtin(node);
    case NodeKind::kVariable:
      return variable(node.index, id);
    case NodeKind::kCast:
      return of(node.kids[0]);
    case NodeKind::kUnary: {
      const std::optional<Lanes> inner = of(node.kids[0]);
      if (!inner || (node.op != COperator::kNot && node.op != COperator::kNegate)) {
        return std::nullopt;
      }
      return zip_lanes(*inner, {0}, [&](std::int64_t a, std::int64_t b) {
        return node.op == COperator::kNot ? std::int64_t{a == b} : b - a;
      });
    }
    case NodeKind::kBinary:
      return binary(node);
    case NodeKind::kCall:
      return warp_first(node);
    default:
      return std::nullopt;
  }
}

std::optional<Lanes> ThreadValues::builtin(const Node& node) const {
  const auto axis = static_cast<std::size_t>(node.value);
  if (node.builtin == Builtin::kBlockDim) {
    return Lanes{block_[axis]};
  }
  if (node.builtin != Builtin::kThreadIdx) {
    return std::nullopt;
  }
  Lanes lanes(threads_);
  for (std::size_t i = 0; i < threads_; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t row = at / block_[0];
    lanes[i] = axis == 0 ? at % block_[0] : axis == 1 ? row % block_[1] : row / block_[1];
  }
  return lanes;
}

/// A shuffle from thread 0 of the warp: how kernels say that a warp's number is one for all.
std::optional<Lanes> ThreadValues::warp_first(const Node& node) const {
  if (node.text != "__shfl_sync" || node.kids.size() < 3) {
    return std::nullopt;
  }
  const std::optional<Lanes> value = of(node.kids[1]);
  const std::optional<Lanes> from = of(node.kids[2]);
  if (!value || !from || *from != Lanes{0}) {
    return std::nullopt;
  }
  Lanes lanes(threads_);
  for (std::size_t i = 0; i < threads_; ++i) {
    lanes[i] = lane_of(*value, i - i % kWarpSize);
  }
  return lanes;
}

std::optional<Lanes> ThreadValues::may_hold(NodeId condition) const {
  const Node& node = tree_.node(condition);
  if (std::optional<Lanes> known = of(condition); known || node.op != COperator::kAnd) {
    return known;
  }
  std::optional<Lanes> left = may_hold(node.kids[0]);
  return left ? left : may_hold(node.kids[1]);
}

std::optional<Lanes> ThreadValues::binary(const Node& node) const {
  const std::optional<Lanes> left = of(node.kids[0]);
  const std::optional<Lanes> right = of(node.kids[1]);
  const bool both = node.op == COperator::kAnd;
  if (both || node.op == COperator::kOr) {
    if (left && right) {
      return zip_lanes(*left, *right, [&](std::int64_t a, std::int64_t b) {
        return std::int64_t{both ? a != 0 && b != 0 : a != 0 || b != 0};
      });
    }
    return std::nullopt;
  }
  if (!left || !right) {
    return std::nullopt;
  }
  bool known = true;
  Lanes made = zip_lanes(*left, *right, [&](std::int64_t a, std::int64_t b) {
    const std::optional<std::int64_t> value = result_of(node.op, a, b);
    known = known && value.has_value();
    return value.value_or(0);
  });
  return known ? std::optional(std::move(made)) : std::nullopt;
}

std::string_view word_of(WorkerKind kind) {
  constexpr std::array<std::string_view, 6> kWords = {"nobody", "thread",    "thread",
                                                      "warp",   "warpgroup", "block"};
  return kWords[static_cast<std::size_t>(kind)];
}

Workers workers_of(const Lanes& active, std::size_t threads) {
  Workers found;
  for (std::size_t i = 0; i < threads; ++i) {
    if (lane_of(active, i) != 0) {
      found.first = found.threads == 0 ? static_cast<std::int64_t>(i) : found.first;
      found.last = static_cast<std::int64_t>(i);
      ++found.threads;
    }
  }
  if (found.threads == 0) {
    return found;
  }
  if (found.threads == static_cast<std::int64_t>(threads)) {
    found.kind = WorkerKind::kBlock;
    return found;
  }
  if (found.last - found.first + 1 != found.threads) {
    found.kind = WorkerKind::kThreads;
    return found;
  }
  found.kind = WorkerKind::kThread;
  for (const auto& [size, kind] :
       {std::pair{static_cast<std::int64_t>(kWarpgroupThreads), WorkerKind::kWarpgroup},
        std::pair{std::int64_t{kWarpSize}, WorkerKind::kWarp}}) {
    if (found.first % size == 0 && found.threads % size == 0) {
      return {kind, found.first / size, (found.last + 1) / size - 1, found.threads};
    }
  }
  return found;
}

std::string worker_text(const Lanes& active, std::size_t threads) {
  const Workers found = workers_of(active, threads);
  const std::string word(word_of(found.kind));
  if (found.kind == WorkerKind::kNobody || found.kind == WorkerKind::kBlock) {
    return word;
  }
  if (found.kind == WorkerKind::kThreads) {
    return std::to_string(found.threads) + " threads";
  }
  const std::string first = std::to_string(found.first);
  return found.first == found.last ? word + " " + first
                                   : word + "s " + first + "-" + std::to_string(found.last);
}

Lanes within(const Lanes& active, const Lanes& truth, bool wanted) {
  return zip_lanes(active, truth, [&](std::int64_t a, std::int64_t b) {
    return std::int64_t{a != 0 && (b != 0) == wanted};
  });
}

}  // namespace ws::lift
