#include "runtime/lift/orchestration/memory_integers.h"

#include <algorithm>
#include <utility>

#include "runtime/lift/orchestration/bindings.h"
#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kIntBytes = 4;
constexpr std::int64_t kBarrierBytes = 8;

/// `int`, or the truth of a comparison.
bool is_plain(const Tree& tree, TypeId id) {
  return tree.is(id, TypeKind::kInt) &&
         ((tree.type(id).bytes == kIntBytes && tree.type(id).is_signed) ||
          tree.type(id).name == "bool");
}

bool is_unsigned_int(const Tree& tree, TypeId id) {
  return tree.is(id, TypeKind::kInt) && tree.type(id).bytes == kIntBytes &&
         !tree.type(id).is_signed;
}

/// Operators whose lowest bits depend on those of their operands alone.
bool is_sum(COperator op) {
  return op == COperator::kAdd || op == COperator::kSubtract || op == COperator::kMultiply;
}

/// Operators whose result on such integers is the same in CuIR, which has no bounds.
bool keeps_value(COperator op) {
  switch (op) {
    case COperator::kAdd:
    case COperator::kSubtract:
    case COperator::kMultiply:
    case COperator::kNegate:
    case COperator::kShiftRight:
    case COperator::kBitAnd:
    case COperator::kBitOr:
    case COperator::kBitXor:
    case COperator::kInvert:
    case COperator::kLess:
    case COperator::kLessEqual:
    case COperator::kGreater:
    case COperator::kGreaterEqual:
    case COperator::kEqual:
    case COperator::kNotEqual:
    case COperator::kAnd:
    case COperator::kOr:
    case COperator::kNot:
      return true;
    default:
      return is_step(op);
  }
}

/// The variable that a place is in; kNone: a pointer leads to it.
VariableId root_of(const Tree& tree, NodeId id) {
  const Node* node = &tree.node(id);
  while (node->kind == NodeKind::kIndex || node->kind == NodeKind::kMember) {
    node = &tree.node(node->kids[0]);
    if (tree.is(node->type, TypeKind::kPointer)) {
      return kNone;
    }
  }
  return node->kind == NodeKind::kVariable ? node->index : kNone;
}

/// The functions that bodies belong to, by their `return` statements.
void returns_of(const Tree& tree, NodeId id, std::vector<NodeId>& found) {
  std::vector<NodeId> open = {id};
  while (!open.empty()) {
    const Node& node = tree.node(open.back());
    if (node.kind == NodeKind::kReturn && !node.kids.empty()) {
      found.push_back(node.kids[0]);
    }
    open.pop_back();
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
}

}  // namespace

MemoryIntegers::MemoryIntegers(const Tree& tree)
    : tree_(tree),
      data_(tree.nodes.size(), false),
      sum_of_int_(tree.nodes.size(), false) {
  find_references();
  std::vector<std::vector<NodeId>> returned(tree.functions.size());
  for (std::size_t i = 0; i < returned.size(); ++i) {
    if (tree.functions[i].body != kNone) {
      returns_of(tree, tree.functions[i].body, returned[i]);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
      changed = note(static_cast<NodeId>(id)) || changed;
    }
    for (std::size_t i = 0; i < returned.size(); ++i) {
      const bool data = std::ranges::any_of(
          returned[i], [&](NodeId value) { return is_data(value) || reads(value); });
      changed = (data && functions_.insert(static_cast<FunctionId>(i)).second) || changed;
    }
  }
  find_sums_of_int();
}

/// Sums like `int row = now * 2 + rank` with an unsigned rank.
void MemoryIntegers::find_sums_of_int() {
  for (std::size_t id = 0; id < tree_.nodes.size(); ++id) {
    const Node& cast = tree_.nodes[id];
    std::vector<NodeId> parts;
    if (data_[id] && cast.kind == NodeKind::kCast && is_plain(tree_, cast.type) &&
        tree_.type(cast.type).bytes == kIntBytes && is_sum_of_int(cast.kids[0], parts)) {
      parts.push_back(static_cast<NodeId>(id));
      for (const NodeId part : parts) {
        sum_of_int_[static_cast<std::size_t>(part)] = true;
      }
    }
  }
}

/// @param parts  Gets the nodes of the sum that have integers from memory below them.
bool MemoryIntegers::is_sum_of_int(NodeId id, std::vector<NodeId>& parts) const {
  const Node& node = tree_.node(id);
  if (!is_data(id)) {
    return !reads(id);
  }
  if (!is_unsigned_int(tree_, node.type)) {
    return false;
  }
  parts.push_back(id);
  if (node.kind == NodeKind::kCast) {
    const TypeId from = tree_.node(node.kids[0]).type;
    return is_plain(tree_, from) && tree_.type(from).bytes == kIntBytes;
  }
  return node.kind == NodeKind::kBinary && is_sum(node.op) &&
         std::ranges::all_of(node.kids, [&](NodeId kid) { return is_sum_of_int(kid, parts); });
}

/// Finds the references that may stand for memory, by what they are given anywhere.
void MemoryIntegers::find_references() {
  const std::vector<Binding> all = bindings_of(tree_);
  for (bool more = true; more;) {
    more = false;
    for (const Binding& one : all) {
      const bool elsewhere = tree_.variable(one.variable).reference && !is_register(one.source);
      more = (elsewhere && elsewhere_.insert(one.variable).second) || more;
    }
  }
}

/// Whether a place is in registers: of a variable that is neither a pointer nor a name of memory.
bool MemoryIntegers::is_register(NodeId id) const {
  const VariableId root = root_of(tree_, id);
  if (root == kNone) {
    return false;
  }
  const Variable& variable = tree_.variable(root);
  const bool own = variable.name == "this" || !elsewhere_.contains(root);
  return variable.space != Space::kShared && variable.space != Space::kGlobal && own;
}

bool MemoryIntegers::reads(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool place = node.kind == NodeKind::kIndex || node.kind == NodeKind::kDereference ||
                     node.kind == NodeKind::kMember;
  return place && tree_.is(node.type, TypeKind::kInt) && !is_register(id);
}

/// Whether a value of this expression may come from memory, by what is known so far.
bool MemoryIntegers::comes_from_memory(NodeId id) const {
  const Node& node = tree_.node(id);
  switch (node.kind) {
    case NodeKind::kVariable:
      return variables_.contains(node.index);
    case NodeKind::kAddress:
      return false;
    case NodeKind::kMember:
      if (is_register(id)) {
        return fields_.contains(node.text) && tree_.is(node.type, TypeKind::kInt);
      }
      break;
    case NodeKind::kIndex:
      if (is_register(id)) {
        return is_data(node.kids[0]) || is_data(node.kids[1]);
      }
      break;
    case NodeKind::kCall:
      if (node.index != kNone) {
        return functions_.contains(node.index);
      }
      break;
    default:
      break;
  }
  if (reads(id)) {
    return tree_.type(node.type).bytes != kBarrierBytes;
  }
  if (node.kind == NodeKind::kDereference || node.kind == NodeKind::kIndex) {
    return false;  // No integer: which element it is does not say what it holds.
  }
  return std::ranges::any_of(node.kids, [&](NodeId kid) { return is_data(kid) || reads(kid); });
}

/// Notes the target of a statement, a call's arguments, and the expression itself. True: one is
/// new.
bool MemoryIntegers::note(NodeId id) {
  const Node& node = tree_.node(id);
  const auto has = [&](NodeId kid) { return is_data(kid) || reads(kid); };
  bool fresh = false;
  if (node.kind == NodeKind::kDeclare && !node.kids.empty()) {
    const Variable& variable = tree_.variable(node.index);
    const bool keeps = variable.reference ? is_data(node.kids[0]) : has(node.kids[0]);
    fresh = keeps && !tree_.is(variable.type, TypeKind::kPointer) &&
            variables_.insert(node.index).second;
    const bool gives = variable.reference && variables_.contains(node.index);
    fresh = (gives && note_target(node.kids[0])) || fresh;
  } else if (node.kind == NodeKind::kAssign && has(node.kids[1])) {
    fresh = note_target(node.kids[0]);
  } else if (node.kind == NodeKind::kCall && node.index != kNone) {
    const Function& callee = tree_.function(node.index);
    for (std::size_t i = 0; i < node.kids.size() && i < callee.params.size(); ++i) {
      const Variable& param = tree_.variable(callee.params[i]);
      const bool given = param.reference ? is_data(node.kids[i]) : has(node.kids[i]);
      fresh = (given && variables_.insert(callee.params[i]).second) || fresh;
      const bool gets = param.reference && variables_.contains(callee.params[i]);
      fresh = (gets && note_target(node.kids[i])) || fresh;
    }
  }
  if (!is_data(id) && comes_from_memory(id)) {
    data_[static_cast<std::size_t>(id)] = true;
    fresh = true;
  }
  return fresh;
}

/// A place that gets such a value. True: that is new.
bool MemoryIntegers::note_target(NodeId target) {
  const Node& node = tree_.node(target);
  if (node.kind != NodeKind::kVariable && !is_register(target)) {
    return false;  // A value that is read from memory counts anyway.
  }
  return node.kind == NodeKind::kMember ? fields_.insert(node.text).second
                                        : variables_.insert(root_of(tree_, target)).second;
}

bool MemoryIntegers::has_form(NodeId id) const {
  const Node& node = tree_.node(id);
  if (!is_data(id) || sum_of_int_[static_cast<std::size_t>(id)]) {
    return true;
  }
  const auto plain = [&](NodeId kid) { return is_plain(tree_, tree_.node(kid).type); };
  switch (node.kind) {
    case NodeKind::kDeclare:
    case NodeKind::kVariable:
    case NodeKind::kMember:
    case NodeKind::kIndex:
    case NodeKind::kDereference:
      return is_plain(tree_, node.type);
    case NodeKind::kUnary:
    case NodeKind::kBinary:
    case NodeKind::kAssign: {
      const bool assigned = node.kind == NodeKind::kAssign && node.op == COperator::kNone;
      const bool divided = node.kind == NodeKind::kBinary && is_division(node.op);
      return (assigned || divided || keeps_value(node.op)) && is_plain(tree_, node.type) &&
             std::ranges::all_of(node.kids, plain);
    }
    case NodeKind::kSelect:
      return is_plain(tree_, node.type) && std::ranges::all_of(node.kids, plain);
    case NodeKind::kCall: {
      const Meaning* const meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
      const bool chooses = meaning != nullptr && (meaning->handling == Handling::kMinimum ||
                                                  meaning->handling == Handling::kMaximum);
      return is_plain(tree_, node.type) &&
             (node.index != kNone || (chooses && std::ranges::all_of(node.kids, plain)));
    }
    case NodeKind::kCast: {
      const TypeId from = tree_.node(node.kids[0]).type;
      return is_plain(tree_, node.type) && is_plain(tree_, from) &&
             tree_.type(node.type).name == tree_.type(from).name;
    }
    default:
      return false;
  }
}

}  // namespace ws::lift
