// Threads that part into roles.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/units.h"
#include "runtime/lift/orchestration/element_moves.h"
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

/// The warpgroup that all of the active threads belong to; -1: there is no single one.
int Skeleton::only_warpgroup(const Lanes& active) const {
  std::set<std::size_t> found;
  for (std::size_t lane = 0; lane < values_.threads(); ++lane) {
    if (lane_of(active, lane) != 0) {
      found.insert(lane / kWarpgroupThreads);
    }
  }
  return found.size() == 1 ? static_cast<int>(*found.begin()) : -1;
}

/// A warpgroup that does something before roles; nothing: its threads part into several of them.
std::optional<Role> Skeleton::warpgroup_of_role(int warpgroup) const {
  const std::size_t threads = values_.threads();
  if (threads % kWarpgroupThreads != 0) {
    return std::nullopt;
  }
  Lanes own(threads, 0);
  std::fill_n(own.begin() + warpgroup * static_cast<std::ptrdiff_t>(kWarpgroupThreads),
              kWarpgroupThreads, 1);
  const auto takes_part = [&](const Role& role) {
    return workers_of(within(own, role.lanes, true), threads).threads > 0;
  };
  return std::ranges::count_if(roles_, takes_part) != 1
             ? std::nullopt
             : std::optional(Role{WorkerKind::kWarpgroup, {warpgroup}, own, kWarpgroupThreads});
}

/// A statement before threads part that some of them do: it stands in their roles only, where it
/// copies elements or is one warpgroup's own. False: it has no such form.
bool Skeleton::before_roles(NodeId id) {
  if (!draft_.is_outermost() || texts_.depth() != 1 || roles_.empty()) {
    return false;
  }
  const Node& node = tree_.node(id);
  ElementMoves moves(tree_, input_, texts_, values_, buffers_);
  if (const auto rows = moves.rows_of(id, active_)) {
    return write_moves(moves, *rows, node.range);
  }
  const std::optional<Lanes> truth = node.kind == NodeKind::kIf && node.kids.size() == 2
                                         ? texts_.exact(node.kids[0])
                                         : std::nullopt;
  const Lanes own = truth ? within(active_, *truth, true) : Lanes{1};
  const int warpgroup = only_warpgroup(own);
  std::optional<Role> role;
  if (truth && truth->size() > 1 && warpgroup >= 0) {
    role = warpgroup_of_role(warpgroup);
  }
  if (facts_.returns(node.kids.empty() ? id : node.kids.back())) {
    return false;  // The threads do not take part in what follows.
  }
  // The rest of the warpgroup's threads would do it, too.
  const auto all = role ? within(active_, role->lanes, true) : Lanes{};
  if (role &&
      workers_of(all, values_.threads()).threads != workers_of(own, values_.threads()).threads) {
    role = std::nullopt;
  }
  if (!role) {
    return false;
  }
  close_hole();
  draft_.begin_only(*std::move(role));
  const Lanes around = std::exchange(active_, own);
  const KernelTexts::Places pointers = texts_.pointers();
  statement(node.kids[1]);
  close_hole();
  draft_.end_only();
  active_ = around;
  texts_.set_pointers(pointers);
  texts_.forget_moves(id);
  return true;
}

/// Writes a copy for each warpgroup. False: one of them belongs to no single role.
bool Skeleton::write_moves(const ElementMoves& moves, const std::vector<MovedRow>& rows,
                           const Range& range) {
  std::vector<Role> roles;
  for (const MovedRow& row : rows) {
    if (std::optional<Role> role = warpgroup_of_role(row.warpgroup)) {
      roles.push_back(*std::move(role));
    }
  }
  if (roles.size() != rows.size()) {
    return false;
  }
  close_hole();
  buffers_.use(moves.array());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MovedRow& row = rows[i];
    draft_.begin_only(roles[i]);
    const std::int64_t whole = buffers_.find(moves.array())->dims[0];
    const std::string own = std::to_string(row.from);
    const std::string from = named_index(moves.start().empty() ? own
                                         : row.from == 0       ? moves.start()
                                                               : moves.start() + " + " + own);
    draft_.line("copy(" + moves.array() + "[" +
                    slice_text(std::to_string(row.to), row.count, whole) + "], " + moves.tensor() +
                    "[" + slice_text(from, row.count, 0) + "])",
                range);
    draft_.end_only();
  }
  return true;
}

/// @param behind  The statements that both sides run after it.
void Skeleton::roles(const Node& node, const Lanes& truth, const std::vector<NodeId>& behind) {
  const Lanes around = active_;
  const KernelTexts::State known = texts_.state();
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    const Lanes own = within(around, truth, side == 1);
    active_ = own;
    texts_.set_state(known);
    waiting_.clear();
    role_nodes_ = behind;
    role_nodes_.push_back(node.kids[side]);
    Role role = Role::of(behind.empty() ? narrowed(node.kids[side], own) : own, values_.threads());
    if (!tiles_.are_known()) {
      roles_.push_back(role);
    }
    draft_.begin_role(std::move(role));
    ended_ = false;
    statement(node.kids[side]);
    for (const NodeId next : behind) {
      if (!ended_) {
        statement(next);
      }
    }
    close_hole();
    draft_.end_role();
  }
  ended_ = true;
  role_nodes_.clear();
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
    const std::optional<Lanes> truth = values_.may_hold(next.kids[0]);
    if (!truth || truth->size() == 1) {
      return active;
    }
    active = within(active, *truth, true);
    node = &tree_.node(next.kids[1]);
  }
}

}  // namespace ws::lift
