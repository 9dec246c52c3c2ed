// Pointers that move through memory, and loops that move them.
#include <utility>

#include "runtime/lift/orchestration/kernel_texts.h"

namespace ws::lift {

bool KernelTexts::move_pointer(const Node& node) {
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  if (!declares && node.kind != NodeKind::kAssign) {
    return false;
  }
  const VariableId id = declares ? node.index
                        : tree_.node(node.kids[0]).kind == NodeKind::kVariable
                            ? tree_.node(node.kids[0]).index
                            : kNone;
  if (id == kNone || tree_.variable(id).reference || !facts_.is_pointer(id) ||
      !values_.changes(id)) {
    return false;
  }
  const NodeId source = node.kids[declares ? 0 : 1];
  const std::string value = of(source);
  if (declares || is_plain_assignment(node)) {
    pointers_[id] = value;
    note_alias(id, source);
    return !value.empty();
  }
  made_of_[id].merge(facts_.changed().in(source));
  const std::string first = variable(id);
  const auto known = pointers_.emplace(id, first.starts_with("self.") ? first : "").first;
  const bool moves = node.op == COperator::kAdd && !value.empty() && !known->second.empty();
  known->second = moves ? known->second + "[" + value + "]" : "";
  return moves;
}

void KernelTexts::set_state(State state) {
  pointers_ = std::move(state.pointers);
  made_of_ = std::move(state.made_of);
  stale_ = std::move(state.stale);
  fields_ = std::move(state.fields);
}

void KernelTexts::note_alias(VariableId id, NodeId value) {
  const std::set<VariableId> direct = facts_.changed().in(value);
  std::set<VariableId> all = direct;
  for (const VariableId part : direct) {
    if (const auto further = made_of_.find(part); further != made_of_.end()) {
      all.insert(further->second.begin(), further->second.end());
    }
  }
  const NodeId root = facts_.changed().root_of(value);
  if (root != kNone && !facts_.is_pointer(tree_.node(root).index)) {
    all.erase(tree_.node(root).index);  // Its value may change: the name stands for it.
  }
  made_of_[id] = std::move(all);
  stale_.erase(id);
}

void KernelTexts::note_changes(const std::set<VariableId>& changed) {
  for (const auto& [alias, parts] : made_of_) {
    const bool other =
        changed.contains(alias) && !pointers_.contains(alias) && !tree_.variable(alias).reference;
    if (other || meet(parts, changed)) {
      stale_.insert(alias);
    }
  }
}

void KernelTexts::forget_results(NodeId id) {
  std::vector<NodeId> open = {id};
  while (!results_.empty() && !open.empty()) {
    const NodeId one = open.back();
    open.pop_back();
    results_.erase(one);
    const Node& node = tree_.node(one);
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
}

void KernelTexts::forget_pointers(const Function& callee) {
  for (const VariableId param : callee.params) {
    pointers_.erase(param);
  }
}

/// Notes the statements that move a pointer; `direct` says that they run once in each round.
void KernelTexts::note_moves(NodeId id, bool direct,
                             std::map<VariableId, std::vector<NodeId>>& moves) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAssign && tree_.node(node.kids[0]).kind == NodeKind::kVariable) {
    const VariableId target = tree_.node(node.kids[0]).index;
    if (pointers_.contains(target)) {
      moves[target].push_back(direct && node.op == COperator::kAdd ? id : kNone);
    }
  }
  for (const NodeId kid : node.kids) {
    note_moves(kid, direct && (node.kind == NodeKind::kBlock || node.op == COperator::kComma),
               moves);
  }
}

void KernelTexts::forget_moves(NodeId id) {
  std::map<VariableId, std::vector<NodeId>> moves;
  note_moves(id, false, moves);
  for (const auto& [pointer, all] : moves) {
    pointers_.at(pointer).clear();
  }
}

/// The number of a round, from 0 on. False: it is not counted so.
bool KernelTexts::round_text(const Node& node, std::string& round) const {
  const Node& start = tree_.node(node.kids[0]);
  const Node* step = &tree_.node(node.kids[2]);
  while (step->op == COperator::kComma) {
    step = &tree_.node(step->kids[0]);
  }
  const bool starts = start.kind == NodeKind::kDeclare && start.kids.size() == 1;
  const bool adds = step_operator(step->op) == COperator::kAdd &&
                    tree_.node(step->kids[0]).kind == NodeKind::kVariable &&
                    tree_.node(step->kids[0]).index == start.index;
  if (!starts || !adds || facts_.changed().by(node.kids[3]).contains(start.index)) {
    return false;  // Its variable does not count the rounds.
  }
  const std::string first = starts ? of(start.kids[0]) : "";
  const std::string by = step->kind == NodeKind::kAssign ? of(step->kids[1]) : "1";
  if (first.empty() || by.empty()) {
    return false;
  }
  const std::string name = variable(start.index);
  const std::string from = first == "0" ? name : "(" + name + " - (" + first + "))";
  round = by == "1" ? from : from + " // (" + by + ")";
  return true;
}

KernelTexts::Rounds KernelTexts::enter_rounds(const Node& loop) {
  Rounds rounds;
  std::map<VariableId, std::vector<NodeId>> moves;
  note_moves(loop.kids.back(), true, moves);
  if (loop.kind == NodeKind::kFor) {
    note_moves(loop.kids[2], true, moves);
  }
  for (const auto& [id, all] : moves) {
    std::string& place = pointers_.at(id);
    rounds.behind[id] = "";
    const Node* move = all.size() == 1 && all[0] != kNone ? &tree_.node(all[0]) : nullptr;
    const std::string step = move == nullptr ? "" : of(move->kids[1]);
    std::string round;
    const bool counts = loop.kind == NodeKind::kFor && round_text(loop, round);
    if (place.empty() || step.empty() || !counts ||
        step.find_first_not_of("0123456789") != std::string::npos) {
      place.clear();
      continue;
    }
    place += "[(" + round + ") * " + step + "]";
  }
  return rounds;
}

void KernelTexts::leave_rounds(const Rounds& rounds) {
  for (const auto& [pointer, place] : rounds.behind) {
    pointers_[pointer] = place;
  }
}

}  // namespace ws::lift
