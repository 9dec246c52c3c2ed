// Addresses of a skeleton: names of shared memory, pointers that move through it, and integers that
// hold an address.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {

/// A field of what is laid over shared memory, or of a kernel's own object, which is a variable.
std::string Skeleton::member_text(const Node& node) const {
  const std::string base = text(node.kids[0]);
  if (base.empty()) {
    return {};
  }
  const Node& object = tree_.node(node.kids[0]);
  const bool local = object.kind == NodeKind::kVariable && !base.starts_with("self.") &&
                     tree_.variable(object.index).space != Space::kShared;
  const bool laid_over = local && tree_.variable(object.index).reference &&
                         tree_.variable(object.index).name != "this";
  if (local && !laid_over) {
    return is_word_start(base[0]) ? base + "_" + node.text : "";
  }
  return buffers_.name_of(node.text);
}

/// `p = s + n`, `p += n`: where a pointer points from here on. False: another statement.
bool Skeleton::pointer_statement(const Node& node) {
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  if (!declares && node.kind != NodeKind::kAssign) {
    return false;
  }
  const VariableId id = declares ? node.index
                        : tree_.node(node.kids[0]).kind == NodeKind::kVariable
                            ? tree_.node(node.kids[0]).index
                            : kNone;
  if (id == kNone || !facts_.is_pointer(id) || !values_.changes(id)) {
    return false;
  }
  const std::string value = text(node.kids[declares ? 0 : 1]);
  if (declares || is_plain_assignment(node)) {
    pointers_[id] = value;
    return !value.empty();
  }
  const std::string first = variable_text(id);
  const auto known = pointers_.emplace(id, first.starts_with("self.") ? first : "").first;
  const bool moves = node.op == COperator::kAdd && !value.empty() && !known->second.empty();
  if (!moving_.contains(id)) {
    known->second = moves ? known->second + "[" + value + "]" : "";
  }
  return !known->second.empty();
}

/// Notes the statements that move a pointer; `direct` says that they run once in each round.
void Skeleton::note_moves(NodeId id, bool direct,
                          std::map<VariableId, std::vector<NodeId>>& moves) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAssign && tree_.node(node.kids[0]).kind == NodeKind::kVariable) {
    const VariableId target = tree_.node(node.kids[0]).index;
    if (pointers_.contains(target)) {
      moves[target].push_back(direct && node.op == COperator::kAdd ? id : kNone);
    }
  }
  for (const NodeId kid : node.kids) {
    note_moves(kid, direct && node.kind == NodeKind::kBlock, moves);
  }
}

/// After a statement that was not followed, or not by all.
void Skeleton::forget_moves(NodeId id) {
  std::map<VariableId, std::vector<NodeId>> moves;
  note_moves(id, false, moves);
  for (const auto& [pointer, all] : moves) {
    pointers_.at(pointer).clear();
  }
}

/// Pointers that each round of a loop moves on by the same number are written by the loop's
/// variable.
/// @param behind  Gets where they point after the loop.
void Skeleton::enter_rounds(const Node& loop, std::map<VariableId, std::string>& behind) {
  std::map<VariableId, std::vector<NodeId>> moves;
  note_moves(loop.kids.back(), true, moves);
  for (const auto& [id, all] : moves) {
    std::string& place = pointers_.at(id);
    behind[id] = "";
    const Node* move = all.size() == 1 && all[0] != kNone ? &tree_.node(all[0]) : nullptr;
    const std::string step = move == nullptr ? "" : text(move->kids[1]);
    std::string round;
    const bool counts = loop.kind == NodeKind::kFor && round_text(loop, round);
    if (place.empty() || step.empty() || !counts ||
        step.find_first_not_of("0123456789") != std::string::npos) {
      place.clear();
      continue;
    }
    place += "[(" + round + ") * " + step + "]";
    moving_.insert(id);
  }
}

}  // namespace ws::lift
