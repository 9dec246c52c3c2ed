#include "runtime/lift/orchestration/local_names.h"

#include <algorithm>
#include <utility>

#include "runtime/ir/syntax/reserved.h"

namespace ws::lift {
namespace {

/// Whether a scope of its own begins at a node.
bool opens_scope(NodeKind kind) {
  return kind == NodeKind::kBlock || kind == NodeKind::kIf || kind == NodeKind::kFor ||
         kind == NodeKind::kWhile || kind == NodeKind::kDo;
}

}  // namespace

LocalNames::LocalNames(const Tree& tree, FunctionId entry)
    : tree_(tree) {
  for (const Variable& variable : tree.variables) {
    all_.insert(ir::free_name(variable.name));
  }
  enter(entry, {});
}

std::string LocalNames::of(VariableId id) const {
  const auto own = names_.find(id);
  return own == names_.end() ? ir::free_name(tree_.variable(id).name) : own->second;
}

/// @param around  Names that are known where the function is called.
void LocalNames::enter(FunctionId id, std::set<std::string> around) {
  const Function& function = tree_.function(id);
  std::set<std::string>& before = entered_[id];
  const bool fresh = before.empty();
  if (function.body == kNone || (!fresh && std::ranges::includes(before, around))) {
    return;
  }
  before.insert(around.begin(), around.end());
  before.insert("");  // It is not empty from now on.
  around = before;
  for (const VariableId param : function.params) {
    declare(param, around);
  }
  walk(function.body, around);
}

/// @param around  Names of the scopes around a node; gets those that it declares in the last one.
void LocalNames::walk(NodeId id, std::set<std::string>& around) {
  const Node& node = tree_.node(id);
  for (const NodeId kid : node.kids) {
    if (opens_scope(tree_.node(kid).kind)) {
      std::set<std::string> own = around;
      walk(kid, own);
    } else {
      walk(kid, around);
    }
  }
  if (node.kind == NodeKind::kDeclare) {
    declare(node.index, around);
  } else if (node.kind == NodeKind::kCall && node.index != kNone) {
    enter(node.index, around);
  }
}

void LocalNames::declare(VariableId id, std::set<std::string>& around) {
  const Variable& variable = tree_.variable(id);
  std::string name = ir::free_name(variable.name);
  const bool integer = variable.type != kNone && tree_.type(variable.type).kind == TypeKind::kInt;
  if (const auto known = names_.find(id); known != names_.end()) {
    name = known->second;
  } else if (integer && variable.space != Space::kShared && around.contains(name)) {
    while (all_.contains(name)) {
      name += "_";
    }
    names_[id] = name;
    all_.insert(name);
  }
  around.insert(name);
}

}  // namespace ws::lift
