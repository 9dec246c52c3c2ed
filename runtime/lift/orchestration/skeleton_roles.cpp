// Threads that part into roles.
#include <algorithm>
#include <string_view>

#include "runtime/base/units.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {

/// Threads part, at the kernel's own level: each side is a role, and so is what all do after it.
/// Where they meet again and neither side waits, both_sides() says it. False: it is no such place.
bool Skeleton::part(const Node& node, const Lanes& truth) {
  if (!draft_.is_outermost() || texts_.depth() != 1) {
    return false;
  }
  const std::vector<NodeId> rest = behind();
  if (!rest.empty() && !facts_.waits(node.kids[1]) && !facts_.waits(node.kids[2])) {
    return false;
  }
  const bool alike = std::all_of(open_.begin(), open_.end(),
                                 [&](const Open& one) { return one.active == active_; });
  if (rest.empty() || (alike && are_workers(within(active_, truth, true), values_.threads()) &&
                       are_workers(within(active_, truth, false), values_.threads()))) {
    roles(node, truth, rest);
    parted_ = true;
    return true;
  }
  draft_.refuse(node.range, "threads part here, wait for each other, and go on together after it");
  draft_.line("# if", node.range);
  return true;
}

/// @param behind  The statements that both sides run after it.
void Skeleton::roles(const Node& node, const Lanes& truth, const std::vector<NodeId>& behind) {
  const Lanes around = active_;
  const KernelTexts::Places pointers = texts_.pointers();
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    const Lanes own = within(around, truth, side == 1);
    active_ = own;
    texts_.set_pointers(pointers);
    Role role = Role::of(behind.empty() ? narrowed(node.kids[side], own) : own, values_.threads());
    draft_.begin_role(std::move(role));
    statement(node.kids[side]);
    for (const NodeId next : behind) {
      statement(next);
    }
    close_hole();
    draft_.end_role();
  }
  active_ = around;
}

/// The statements after the one that is walked, to the end of the kernel.
std::vector<NodeId> Skeleton::behind() const {
  std::vector<NodeId> all;
  for (auto one = open_.rbegin(); one != open_.rend(); ++one) {
    for (std::size_t i = one->next; i < one->block->kids.size(); ++i) {
      const Node& node = tree_.node(one->block->kids[i]);
      const bool nothing =
          node.kind == NodeKind::kReturn || (node.kind == NodeKind::kBlock && node.kids.empty());
      if (!nothing) {
        all.push_back(one->block->kids[i]);
      }
    }
  }
  return all;
}

/// The threads that do all of a part's orchestration.
Lanes Skeleton::narrowed(NodeId id, Lanes active) const {
  const Node* node = &tree_.node(id);
  for (;;) {
    const Node* only = nullptr;
    for (const NodeId kid : node->kids) {
      if (node->kind == NodeKind::kBlock && facts_.has_primitives(kid)) {
        only = only == nullptr ? &tree_.node(kid) : node;
      }
    }
    const bool single = node->kind == NodeKind::kBlock && only != nullptr && only != node;
    const Node& next = single ? *only : *node;
    if (next.kind != NodeKind::kIf || next.kids.size() != 2) {
      return active;
    }
    const std::optional<Lanes> truth = values_.of(next.kids[0]);
    if (!truth || truth->size() == 1) {
      return active;
    }
    active = within(active, *truth, true);
    node = &tree_.node(next.kids[1]);
  }
}

}  // namespace ws::lift
