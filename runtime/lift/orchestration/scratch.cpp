#include "runtime/lift/orchestration/scratch.h"

#include <algorithm>
#include <map>

namespace ws::lift {
namespace {

using Uses = std::map<VariableId, int>;

void count_uses(const Tree& tree, NodeId id, Uses& uses) {
  const Node& node = tree.node(id);
  if (node.kind == NodeKind::kVariable) {
    ++uses[node.index];
  }
  for (const NodeId kid : node.kids) {
    count_uses(tree, kid, uses);
  }
}

/// An address of a place in a variable: `(int*)values`, `&values[0]`.
bool is_place(const Tree& tree, NodeId id) {
  const Node& node = tree.node(id);
  const bool known = node.kind == NodeKind::kCast || node.kind == NodeKind::kAddress ||
                     node.kind == NodeKind::kIndex || node.kind == NodeKind::kInt ||
                     node.kind == NodeKind::kVariable;
  return known && std::all_of(node.kids.begin(), node.kids.end(),
                              [&](NodeId kid) { return is_place(tree, kid); });
}

/// Whether a declaration is an array without a value, or a pointer that always is the same place.
bool may_be_scratch(const Tree& tree, const ThreadValues& values, const Node& declared) {
  const Variable& variable = tree.variable(declared.index);
  if (variable.space != Space::kLocal || variable.reference || variable.type == kNone) {
    return false;
  }
  const bool empty =
      declared.kids.empty() || (tree.node(declared.kids[0]).kind == NodeKind::kList &&
                                tree.node(declared.kids[0]).value == 1);
  const TypeKind kind = tree.type(variable.type).kind;
  return (kind == TypeKind::kArray && empty) ||
         (kind == TypeKind::kPointer && declared.kids.size() == 1 &&
          !values.changes(declared.index) && is_place(tree, declared.kids[0]));
}

/// The declarations that were found, and how often these and the statements name each variable.
struct Search {
  Uses within;
  std::set<NodeId> found;
};

/// All that may be scratch in the block of the statements.
Search candidates(const Tree& tree, const KernelFacts& facts, const ThreadValues& values,
                  const std::vector<NodeId>& statements) {
  Search search;
  std::vector<NodeId> open;
  const auto name = [&](NodeId id) {
    Uses named;
    count_uses(tree, id, named);
    for (const auto& [variable, count] : named) {
      search.within[variable] += count;
      open.push_back(facts.declaration(variable));
    }
  };
  for (const NodeId id : statements) {
    if (tree.node(id).kind == NodeKind::kDeclare && may_be_scratch(tree, values, tree.node(id))) {
      open.push_back(id);
    } else {
      name(id);
    }
  }
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id != kNone && facts.are_in_one_block(id, statements.front()) &&
        may_be_scratch(tree, values, tree.node(id)) && search.found.insert(id).second) {
      name(id);
    }
  }
  return search;
}

}  // namespace

std::set<NodeId> scratch_of(const Tree& tree, const KernelFacts& facts, const ThreadValues& values,
                            const std::vector<NodeId>& statements) {
  Search search = candidates(tree, facts, values, statements);
  for (bool again = true; again;) {
    again = false;
    const std::set<NodeId> before = search.found;
    for (const NodeId id : before) {
      Uses named;
      count_uses(tree, id, named);
      const VariableId variable = tree.node(id).index;
      const bool own = search.within[variable] == facts.uses(variable) &&
                       std::ranges::all_of(named, [&](const auto& one) {
                         return search.found.contains(facts.declaration(one.first));
                       });
      if (!own) {  // Then what it names is used elsewhere, too.
        search.found.erase(id);
        std::ranges::for_each(named,
                              [&](const auto& one) { search.within[one.first] -= one.second; });
        again = true;
      }
    }
  }
  return search.found;
}

}  // namespace ws::lift
