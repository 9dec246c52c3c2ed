#include "runtime/lift/orchestration/local_names.h"

#include <algorithm>
#include <utility>

#include "runtime/ir/syntax/reserved.h"

namespace ws::lift {
namespace {

/// Whether a scope of its own begins at a node. A statement that declares several variables, or an
/// object, is a block of declarations and constructors, too.
bool opens_scope(const Tree& tree, const Node& node) {
  const auto declares = [&](NodeId kid) {
    const Node& one = tree.node(kid);
    const bool calls = one.kind == NodeKind::kCall && one.index != kNone;
    const std::vector<VariableId> params =
        calls ? tree.function(one.index).params : std::vector<VariableId>();
    return one.kind == NodeKind::kDeclare ||
           (!params.empty() && tree.variable(params[0]).name == "this");
  };
  return (node.kind == NodeKind::kBlock && !std::ranges::all_of(node.kids, declares)) ||
         node.kind == NodeKind::kIf || node.kind == NodeKind::kFor ||
         node.kind == NodeKind::kWhile || node.kind == NodeKind::kDo;
}

}  // namespace

LocalNames::LocalNames(const Tree& tree, FunctionId entry)
    : tree_(tree) {
  for (const Variable& variable : tree.variables) {
    all_.insert(ir::free_name(variable.name));
  }
  enter(entry, {"wg"});  // The number of a role's worker.
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
  if (node.kind == NodeKind::kDeclare) {
    declare(node.index, around);
  }
  for (const NodeId kid : node.kids) {
    if (opens_scope(tree_, tree_.node(kid))) {
      std::set<std::string> own = around;
      walk(kid, own);
    } else {
      walk(kid, around);
    }
  }
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    enter(node.index, around);
  }
}

void LocalNames::declare(VariableId id, std::set<std::string>& around) {
  const Variable& variable = tree_.variable(id);
  const Type type = variable.type == kNone ? Type() : tree_.type(variable.type);
  // An object becomes a variable for each field.
  const bool object = type.kind == TypeKind::kStruct && !variable.reference;
  const auto is_known = [&](const std::string& name) {
    return around.contains(name) ||
           (object && std::ranges::any_of(type.fields, [&](const Field& field) {
              return around.contains(name + "_" + field.name);
            }));
  };
  std::string name = of(id);
  if (!names_.contains(id) && (object || type.kind == TypeKind::kInt) &&
      variable.space != Space::kShared && is_known(name)) {
    while (all_.contains(name) || is_known(name)) {
      name += "_";
    }
    names_[id] = name;
    all_.insert(name);
  }
  around.insert(name);
  for (const Field& field : type.fields) {
    around.insert(name + "_" + field.name);
  }
}

}  // namespace ws::lift
