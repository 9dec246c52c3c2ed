// The names that statements of a skeleton read and write, as the program has them.
#include <algorithm>

#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

}  // namespace

/// A call: what a function of the kernel writes through references is an output, and so is what an
/// intrinsic stores to.
void Skeleton::note_call(const Node& node, Hole& hole) {
  const Meaning* meaning = node.index == kNone ? meaning_of_function(node.text) : nullptr;
  const bool stores = meaning != nullptr && meaning->handling == Handling::kStore;
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    note_names(node.kids[i], hole, facts_.is_written(node, i) || (stores && i == 0));
  }
}

/// Whether a variable of the open hole is in it.
bool Skeleton::is_own(NodeId id) const {
  const Node& node = tree_.node(id);
  return (node.kind == NodeKind::kVariable && declared_.contains(node.index)) ||
         std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId kid) { return is_own(kid); });
}

/// The part of a shared array that a statement writes: what its indices say outside of the hole.
void Skeleton::note_place(NodeId id, Hole& hole) {
  std::vector<NodeId> indices;
  while (tree_.node(id).kind == NodeKind::kIndex) {
    indices.push_back(tree_.node(id).kids[1]);
    id = tree_.node(id).kids[0];
  }
  std::string place = texts_.of(id);
  if (buffers_.find(place) == nullptr) {
    return;
  }
  buffers_.use(place);
  for (; !indices.empty(); indices.pop_back()) {
    const std::string index = texts_.of(indices.back());
    if (index.empty() || is_own(indices.back())) {
      break;
    }
    place += "[" + index + "]";
  }
  add_once(hole.outputs, place);
}

/// Notes what a hole reads and writes: variables by their names, memory as the program has it.
void Skeleton::note_names(NodeId id, Hole& hole, bool target) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kDeclare) {
    declared_.insert(node.index);
  } else if (node.kind == NodeKind::kVariable) {
    const auto threads = values_.of(id);
    // A value that is known for each thread, and has no name, needs none.
    const bool known =
        threads && (threads->size() > 1 || !draft_.is_integer(texts_.variable(node.index)));
    const bool own = known || declared_.contains(node.index);
    const std::string alias = facts_.is_pointer(node.index) ? place_of(texts_.of(id)).base : "";
    const std::string name =
        alias.starts_with("self.") ? alias : place_of(texts_.variable(node.index)).base;
    if (buffers_.find(alias) != nullptr) {
      buffers_.use(alias);
    } else if (facts_.is_pointer(node.index) && !name.starts_with("self.") &&
               !tiles_.contains(name)) {
      return;  // To memory that has no name here.
    }
    if (!own && target) {
      add_once(hole.outputs, name);
      if (node.type != kNone && tree_.type(node.type).kind == TypeKind::kInt) {
        hole_integers_.insert(name);
      }
    }
    const bool is_name = name.starts_with("self.") || is_identifier(name);
    if (!own && is_name && !draft_.is_unknown(name)) {
      add_once(hole.inputs, name);
    }
    return;
  } else if (node.kind == NodeKind::kAssign) {
    note_names(node.kids[0], hole, true);
    note_names(node.kids[1], hole, false);
    return;
  } else if (node.kind == NodeKind::kCall) {
    note_call(node, hole);
    return;
  } else if (node.kind == NodeKind::kIndex) {
    if (target) {
      note_place(id, hole);
    }
    note_names(node.kids[0], hole, target);
    note_names(node.kids[1], hole, false);
    return;
  } else if (node.kind == NodeKind::kMember) {
    return;  // This is an array of a struct in shared memory.
  }
  if (node.kind == NodeKind::kAsm) {
    for (std::size_t i = 0; i < node.kids.size(); ++i) {
      note_names(node.kids[i], hole, static_cast<std::int64_t>(i) < node.value);
    }
    return;
  }
  const bool through = node.kind == NodeKind::kDereference || node.kind == NodeKind::kCast ||
                       node.kind == NodeKind::kAddress;
  for (const NodeId kid : node.kids) {
    note_names(kid, hole, through && target);
  }
}

}  // namespace ws::lift
