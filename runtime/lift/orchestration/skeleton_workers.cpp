// Roles: which threads do which part of the work, as `if`s over thread indices say.
#include <algorithm>

#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

bool uses_wgmma(const Tree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const Node& node) {
    return node.kind == NodeKind::kAsm && node.text.find("wgmma.mma_async") != std::string::npos;
  });
}

}  // namespace

/// A kernel that multiplies by warpgroups and does not part into roles is one role of all of them.
void Skeleton::start_roles() {
  const std::size_t threads = values_.threads();
  const NodeId body = tree_.function(input_.entry).body;
  if (body == kNone || !uses_wgmma(tree_) || threads % kWarpgroupThreads != 0 || splits(body)) {
    return;
  }
  Role role{WorkerKind::kWarpgroup, {}, Lanes{1}, kWarpgroupThreads};
  for (std::size_t i = 0; i < threads / kWarpgroupThreads; ++i) {
    role.numbers.push_back(static_cast<int>(i));
  }
  draft_.begin_role(std::move(role));
}

/// Whether an `if` over threads, both sides of which orchestrate, stands in the kernel's own block.
bool Skeleton::splits(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock) {
    return std::any_of(node.kids.begin(), node.kids.end(), [&](NodeId kid) { return splits(kid); });
  }
  if (node.kind != NodeKind::kIf || node.kids.size() != 3) {
    return false;
  }
  const std::optional<Lanes> truth = values_.may_hold(node.kids[0]);
  return truth && truth->size() > 1 && facts_.has_primitives(node.kids[1]) &&
         facts_.has_primitives(node.kids[2]);
}

void Skeleton::branch(const Node& node) {
  close_hole();
  if (!step_first(node.kids[0])) {
    draft_.refuse(node.range, "a condition that has no form in CuIR");
  }
  const std::optional<Lanes> truth = texts_.exact(node.kids[0]);
  const bool two = node.kids.size() > 2;
  const std::string fixed = !truth               ? ""
                            : truth->size() == 1 ? std::to_string(truth->front())
                                                 : draft_.role().number_text(*truth);
  if (fixed == "0" || fixed == "1") {
    const std::size_t side = fixed == "1" ? 1 : 2;
    if (side < node.kids.size()) {
      statement(node.kids[side]);
    }
  } else if (truth && two && part(node, *truth)) {
    return;
  } else if (const std::string condition = texts_.of(node.kids[0]); !condition.empty()) {
    sides(node, condition);
  } else if (two ? !both_sides(node, truth) : !known_threads(node)) {
    draft_.refuse(node.range, "a condition that has no form in CuIR");
    sides(node, "True");
  }
}

void Skeleton::sides(const Node& node, const std::string& condition) {
  draft_.line("if " + condition + ":", node.range);
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    if (side == 2) {
      draft_.line("else:", ProgramDraft::kUnmarked);
    }
    draft_.indent();
    const std::size_t before = draft_.lines().size();
    statement(node.kids[side]);
    close_hole();
    if (draft_.has_comments_only(before)) {
      draft_.line("pass", ProgramDraft::kUnmarked);
    }
    draft_.outdent();
  }
  for (std::size_t side = 1; side < node.kids.size(); ++side) {
    texts_.forget_moves(node.kids[side]);
  }
}

/// Notes a branch that some threads of each worker take. @return  For some_of_ behind it.
NodeId Skeleton::enter_some(const Node& branch, NodeId side) {
  const NodeId outer = some_of_;
  if (outer != kNone || !is_of_some()) {
    return outer;
  }
  some_of_ = static_cast<NodeId>(&branch - tree_.nodes.data());
  if (facts_.waits(side)) {
    if (!waiting_.empty() && waiting_ != active_) {
      draft_.refuse(branch.range, "threads of one worker wait apart from each other");
    }
    waiting_ = active_;
  }
  return outer;
}

/// Some threads of each worker, or of one of them: `if (t > 0 && threadIdx.x == 0)`. What is asked
/// besides stays a condition. False: it has no such form.
bool Skeleton::known_threads(const Node& node) {
  const Lanes around = active_;
  std::string condition;
  std::vector<NodeId> parts = {node.kids[0]};
  while (!parts.empty()) {
    const NodeId part = parts.back();
    parts.pop_back();
    const Node& asked = tree_.node(part);
    const std::string uniform = texts_.of(part);
    if (asked.op == COperator::kAnd) {
      parts.push_back(asked.kids[1]);
      parts.push_back(asked.kids[0]);
    } else if (!uniform.empty()) {
      condition += (condition.empty() ? "" : " and ") + uniform;
    } else if (const std::optional<Lanes> truth = values_.of(part)) {
      active_ = within(active_, *truth, true);
    } else {
      active_ = around;
      return false;
    }
  }
  const std::vector<std::int64_t> counts = draft_.role().counts(active_, values_.threads());
  const auto none = std::count(counts.begin(), counts.end(), 0);
  const bool one = none + 1 == static_cast<std::ptrdiff_t>(counts.size()) && none > 0;
  if (one) {
    const auto at = std::max_element(counts.begin(), counts.end()) - counts.begin();
    const Role& role = draft_.role();
    condition += (condition.empty() ? "wg == " : " and wg == ") +
                 std::to_string(role.numbers[static_cast<std::size_t>(at)]);
  }
  const bool known = one || none == 0;
  const NodeId outer = enter_some(node, node.kids[1]);
  if (known && !condition.empty()) {
    sides(node, condition);
  } else if (known) {
    statement(node.kids[1]);
    close_hole();
  }
  some_of_ = outer;
  active_ = around;
  return known;
}

/// Some threads of each worker do one thing and the others another: both, one after the other,
/// where that is the same for all workers. False: it has no such form.
bool Skeleton::both_sides(const Node& node, const std::optional<Lanes>& truth) {
  const Lanes around = active_;
  for (std::size_t side = 1; truth && side < node.kids.size(); ++side) {
    active_ = within(around, *truth, side == 1);
    const std::vector<std::int64_t> counts = draft_.role().counts(active_, values_.threads());
    active_ = around;
    if (counts.empty() || counts.front() == 0 ||
        std::any_of(counts.begin(), counts.end(),
                    [&](std::int64_t count) { return count != counts.front(); })) {
      return false;
    }
  }
  for (std::size_t side = 1; truth && side < node.kids.size(); ++side) {
    active_ = within(around, *truth, side == 1);
    const NodeId outer = enter_some(node, node.kids[side]);
    statement(node.kids[side]);
    close_hole();
    some_of_ = outer;
    active_ = around;
  }
  return truth.has_value();
}

/// Whether each role gets what is written: all of its threads have parted from the others later.
bool Skeleton::is_before_roles() const {
  return draft_.method() == 0 && draft_.role().kind == WorkerKind::kNobody && !roles_.empty();
}

/// Whether what is written is done by some threads of each worker only.
bool Skeleton::is_of_some() const {
  if (draft_.is_function()) {
    return false;  // All threads that call it do it.
  }
  const Role& role = draft_.role();
  const std::vector<std::int64_t> all = role.counts(role.lanes, values_.threads());
  return role.counts(active_, values_.threads()) != all;
}

/// Whether the role uses a variable outside of the branch that some of its threads take.
bool Skeleton::is_used_outside(VariableId id) const {
  std::vector<NodeId> open = role_nodes_;
  if (open.empty()) {
    open.push_back(tree_.function(input_.entry).body);
  }
  while (!open.empty()) {
    const NodeId one = open.back();
    open.pop_back();
    const Node& node = tree_.node(one);
    if (node.kind == NodeKind::kVariable && node.index == id) {
      return true;
    }
    if (one != some_of_) {
      open.insert(open.end(), node.kids.begin(), node.kids.end());
    }
  }
  return false;
}

/// Whether a statement gives a variable what an arrival gives, as the threads of the branch's other
/// side do: the same phase.
bool Skeleton::is_of_both(NodeId id, VariableId variable) const {
  const Node& branch = tree_.node(some_of_);
  return facts_.has_primitives(id) && branch.kids.size() == 3 &&
         facts_.changed().by(branch.kids[1]).contains(variable) &&
         facts_.changed().by(branch.kids[2]).contains(variable);
}

/// How often a statement happens that a worker's active threads do one by one.
std::int64_t Skeleton::multiplicity() const {
  const std::vector<std::int64_t> counts = draft_.role().counts(active_, values_.threads());
  return counts.empty() ? 1 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace ws::lift
