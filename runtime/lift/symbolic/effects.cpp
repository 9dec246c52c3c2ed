#include "runtime/lift/symbolic/effects.h"

#include <algorithm>
#include <utility>

#include "runtime/lift/symbolic/meanings.h"

namespace ws::lift {

/// The variable that a place is in; kNone: it is in memory, or behind a pointer.
ObjectId Effects::root_of(NodeId place) const {
  const Node* node = &tree_.node(place);
  const auto is_part = [&] {
    const TypeId base = node->kids.empty() ? kNone : tree_.node(node->kids[0]).type;
    const bool array = base != kNone && tree_.type(base).kind == TypeKind::kArray;
    return node->kind == NodeKind::kMember || (node->kind == NodeKind::kIndex && array);
  };
  while (is_part()) {
    node = &tree_.node(node->kids[0]);
  }
  ObjectId at = node->kind == NodeKind::kVariable ? objects_.find(node->index) : kNone;
  if (at != kNone && tree_.variable(node->index).reference) {
    at = objects_.at(at).leaves.front().object;
  }
  const bool local = at != kNone && objects_.at(at).kind == ObjectKind::kLocal;
  return local ? at : kNone;
}

/// Walks an expression, but for the functions that it calls: Node::value says what these change.
Changes Effects::changes_of(NodeId id) const {
  if (id == kNone) {
    return Changes::kNothing;
  }
  const Node& node = tree_.node(id);
  Changes most = Changes::kNothing;
  for (const NodeId kid : node.kids) {
    most = std::max(most, changes_of(kid));
  }
  if (node.kind == NodeKind::kAssign || is_step(node.op)) {
    const bool known = root_of(node.kids[0]) != kNone;
    return std::max(most, known ? Changes::kVariables : Changes::kMore);
  }
  const bool entered = node.kind == NodeKind::kCall && node.index != kNone;
  const bool by_pointer = entered && std::ranges::any_of(node.kids, [&](NodeId kid) {
                            const TypeId type = tree_.node(kid).type;
                            return type != kNone && tree_.type(type).kind == TypeKind::kPointer;
                          });
  const Meaning* const meaning =
      node.kind == NodeKind::kCall && !entered ? meaning_of_function(node.text) : nullptr;
  const bool more = by_pointer || (entered && node.value != 0) || node.kind == NodeKind::kAsm ||
                    (meaning != nullptr && meaning->effect != Effect::kValue);
  return more ? Changes::kMore : most;
}

void Effects::save(NodeId id, Saved& saved) const {
  if (id == kNone) {
    return;
  }
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAssign || is_step(node.op)) {
    if (const ObjectId at = root_of(node.kids[0]); at != kNone) {
      saved.emplace(at, objects_.at(at));
    }
  }
  for (const NodeId kid : node.kids) {
    save(kid, saved);
  }
}

void Effects::restore(Saved saved) const {
  for (auto& [id, object] : saved) {
    objects_.at(id) = std::move(object);
  }
}

}  // namespace ws::lift
