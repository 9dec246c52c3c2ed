#include "runtime/lift/orchestration/changed_variables.h"

#include <algorithm>

namespace ws::lift {
namespace {

/// Whether a variable is another name, or leads to a place.
bool stands_for_others(const Tree& tree, VariableId id) {
  const Variable& variable = tree.variable(id);
  return variable.reference || tree.is(variable.type, TypeKind::kPointer);
}

}  // namespace

bool meet(const std::set<VariableId>& some, const std::set<VariableId>& others) {
  return std::ranges::any_of(some, [&](VariableId id) { return others.contains(id); });
}

ChangedVariables::ChangedVariables(const Tree& tree)
    : tree_(tree),
      stands_for_(tree.variables.size()) {
  std::vector<Binding> all = bindings_of(tree);
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kAssign && tree.node(node.kids[0]).kind == NodeKind::kVariable) {
      all.push_back({tree.node(node.kids[0]).index, node.kids[1]});
    }
  }
  for (bool more = true; more;) {
    more = false;
    for (const Binding& one : all) {
      more = bind(one) || more;
    }
  }
}

/// True: that is new.
bool ChangedVariables::bind(const Binding& one) {
  if (!stands_for_others(tree_, one.variable)) {
    return false;
  }
  std::set<VariableId>& all = stands_for_[static_cast<std::size_t>(one.variable)];
  const std::size_t before = all.size();
  const bool reference = tree_.variable(one.variable).reference;
  reference ? add_place(one.source, all) : add_target(one.source, all);
  return all.size() > before;
}

/// The variables that an expression may be the place of.
void ChangedVariables::add_place(NodeId id, std::set<VariableId>& all) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kVariable) {
    const Variable& variable = tree_.variable(node.index);
    if (variable.reference) {
      const std::set<VariableId>& others = stands_for_[static_cast<std::size_t>(node.index)];
      all.insert(others.begin(), others.end());
    }
    if (variable.space != Space::kShared && variable.space != Space::kGlobal) {
      all.insert(node.index);
    }
    return;
  }
  const bool part = node.kind == NodeKind::kMember || node.kind == NodeKind::kIndex;
  for (std::size_t i = 0; i < (part ? 1 : node.kids.size()); ++i) {
    is_pointer(node.kids[i]) ? add_target(node.kids[i], all) : add_place(node.kids[i], all);
  }
}

/// The variables that an address may lead to.
void ChangedVariables::add_target(NodeId id, std::set<VariableId>& all) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAddress || !is_pointer(id)) {
    add_place(node.kind == NodeKind::kAddress ? node.kids[0] : id, all);
  } else if (node.kind == NodeKind::kVariable) {
    const std::set<VariableId>& others = stands_for_[static_cast<std::size_t>(node.index)];
    all.insert(others.begin(), others.end());
  } else if (node.kind != NodeKind::kMember && node.kind != NodeKind::kIndex) {
    for (const NodeId kid : node.kids) {
      if (!tree_.is(tree_.node(kid).type, TypeKind::kInt)) {
        add_target(kid, all);  // A number that is added is no place.
      }
    }
  }
}

bool ChangedVariables::is_pointer(NodeId id) const {
  return tree_.is(tree_.node(id).type, TypeKind::kPointer);
}

void ChangedVariables::add_changes(NodeId id, std::set<VariableId>& all) const {
  const Node& node = tree_.node(id);
  const std::size_t results = node.kind == NodeKind::kAsm ? static_cast<std::size_t>(node.value)
                              : node.kind == NodeKind::kAssign || is_step(node.op) ? 1
                                                                                   : 0;
  for (std::size_t i = 0; i < results && i < node.kids.size(); ++i) {
    add_place(node.kids[i], all);
  }
  if (node.kind == NodeKind::kDeclare) {
    all.insert(node.index);
  }
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    const auto [known, fresh] = by_function_.emplace(node.index, std::set<VariableId>());
    if (const NodeId body = tree_.function(node.index).body; fresh && body != kNone) {
      std::set<VariableId> changes;
      add_changes(body, changes);
      remove_own(tree_.function(node.index), changes);
      known->second = std::move(changes);
    }
    all.insert(known->second.begin(), known->second.end());
  }
  const bool unknown = node.kind == NodeKind::kCall && node.index == kNone;
  for (std::size_t i = 0; unknown && i < node.kids.size(); ++i) {
    if (changes_argument(node, i)) {
      is_pointer(node.kids[i]) ? add_target(node.kids[i], all) : add_place(node.kids[i], all);
    }
  }
  for (const NodeId kid : node.kids) {
    add_changes(kid, all);
  }
}

/// Takes away what a function has for itself.
void ChangedVariables::remove_own(const Function& function, std::set<VariableId>& all) const {
  for (const VariableId param : function.params) {
    all.erase(param);
  }
  std::vector<NodeId> open = {function.body};
  while (!open.empty()) {
    const Node& node = tree_.node(open.back());
    open.pop_back();
    if (node.kind == NodeKind::kDeclare) {
      all.erase(node.index);
    }
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
}

std::set<VariableId> ChangedVariables::by(NodeId id) const {
  std::set<VariableId> all;
  add_changes(id, all);
  return all;
}

std::set<VariableId> ChangedVariables::in(NodeId id) const {
  std::set<VariableId> all;
  std::vector<NodeId> open = {id};
  while (!open.empty()) {
    const Node& node = tree_.node(open.back());
    if (node.kind == NodeKind::kVariable) {
      add_place(open.back(), all);
      all.insert(node.index);
    }
    open.pop_back();
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
  return all;
}

NodeId ChangedVariables::root_of(NodeId place) const {
  NodeId id = place;
  while (!tree_.node(id).kids.empty() && tree_.node(id).kind != NodeKind::kSelect) {
    id = tree_.node(id).kids[0];
  }
  return tree_.node(id).kind == NodeKind::kVariable ? id : kNone;
}

}  // namespace ws::lift
