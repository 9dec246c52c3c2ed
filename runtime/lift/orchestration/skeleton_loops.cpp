// Loops and integers of a skeleton.
#include <algorithm>

#include "runtime/kernel/expr/expr.h"
#include "runtime/lift/orchestration/index_text.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kIndexBytes = 4;      // Smaller numbers wrap early.
constexpr std::int64_t kSmallNumbers = 128;  // All integers have these.

}  // namespace

/// The name of an integer that a statement changes; empty: what it refers to is no variable.
std::string Skeleton::target_name(NodeId target, const Node& node) const {
  const std::string name = texts_.variable(node.index);
  if (target == kNone || !tree_.variable(node.index).reference || texts_.depth() > 1) {
    return name;
  }
  const std::string place = texts_.of(target);
  return is_identifier(place) ? place : "";
}

/// Whether a variable of the program has the value that C gives it: it belongs to the kernel's run,
/// and its type has all numbers that the statement makes.
bool Skeleton::is_whole_change(const Node& node, const Node& target,
                               const std::string& name) const {
  const bool variable = node.kind == NodeKind::kDeclare || target.kind == NodeKind::kVariable;
  const bool lasts = variable && tree_.variable(target.index).space == Space::kGlobal;
  const Type& type = tree_.type(target.type);
  const COperator op = step_operator(node.op);
  const bool changes = node.kind == NodeKind::kAssign || is_step(node.op);
  const bool sets = op == COperator::kNone;
  const bool bits = op == COperator::kBitAnd || op == COperator::kBitOr || op == COperator::kBitXor;
  const Node* value = &tree_.node(node.kids.back());
  while (value->kind == NodeKind::kCast) {
    value = &tree_.node(value->kids[0]);
  }
  const bool truth = value->type != kNone && tree_.type(value->type).name == "bool";
  const bool fits = truth || (value->kind == NodeKind::kInt && value->value >= 0 &&
                              value->value < (type.name == "bool" ? 2 : kSmallNumbers));
  const bool small = changes && !sets && type.bytes < kIndexBytes && !(bits && fits);
  return !name.starts_with("self.") && !lasts && !small;
}

/// Indices, stages and phases: `stage = stage + 1`.
bool Skeleton::integer_statement(NodeId id) {
  const Node& node = tree_.node(id);
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  const bool steps = is_step(node.op);
  if (node.op == COperator::kComma) {
    const bool both = integer_statement(node.kids[0]);
    return integer_statement(node.kids[1]) && both;
  }
  if (!declares && !steps && node.kind != NodeKind::kAssign) {
    return false;
  }
  const Node& target = declares ? node : tree_.node(node.kids[0]);
  const std::string field = target.kind == NodeKind::kMember ? texts_.member(target) : "";
  const bool own_field = !field.empty() && !field.starts_with("self.");
  if ((!declares && target.kind != NodeKind::kVariable && !own_field) || target.type == kNone ||
      tree_.type(target.type).kind != TypeKind::kInt) {
    return false;
  }
  const std::string name = own_field ? field : target_name(declares ? kNone : node.kids[0], target);
  const std::string value = steps ? "1" : texts_.of(node.kids[declares ? 0 : 1]);
  const auto threads = values_.of(node.kids[0]);
  // One that nobody reads, or that stands for an address, needs no line.
  if (declares && ((facts_.is_address(node.kids[0]) && !value.empty()) ||
                   (!facts_.is_read(node.index) && facts_.changed().by(node.kids[0]).empty()))) {
    return true;
  }
  if (declares) {
    holes_.forget(node.index);
    draft_.forget_integer(name);  // One of an outer block may have been called so.
  }
  if (threads && (threads->size() > 1 || (declares && value.empty()))) {
    return true;  // A thread's own number: who uses it has its value.
  }
  // A hole's own variable goes on within holes.
  const bool of_hole = target.kind == NodeKind::kVariable && holes_.has_declared(target.index);
  if (name.empty() || value.empty() || of_hole || !facts_.from_memory().has_form(id) ||
      !is_whole_change(node, target, name)) {
    return false;
  }
  draft_.set_integer(name);
  close_hole();
  draft_.line(name + " " + python_operator(step_operator(node.op)) + "= " + value, node.range);
  return true;
}

/// The step that a condition begins with, where it is all that it changes: `++stage == STAGES`;
/// kNone: there is none.
NodeId Skeleton::leading_step(NodeId condition) const {
  NodeId id = condition;
  while (tree_.node(id).kind == NodeKind::kCast || tree_.node(id).kind == NodeKind::kBinary) {
    const Node& node = tree_.node(id);
    if (node.kind == NodeKind::kBinary &&
        (node.op == COperator::kAnd || node.op == COperator::kOr ||
         !facts_.changed().by(node.kids[1]).empty() ||
         meet(facts_.changed().by(node.kids[0]), facts_.changed().in(node.kids[1])))) {
      return kNone;
    }
    id = node.kids[0];
  }
  const COperator op = tree_.node(id).op;
  return op == COperator::kIncrement || op == COperator::kDecrement ? id : kNone;
}

/// Writes the step that a condition begins with as a statement. False: it has no form.
bool Skeleton::step_first(NodeId condition) {
  const NodeId step = leading_step(condition);
  if (step == kNone) {
    return true;
  }
  if (!integer_statement(step)) {
    return false;
  }
  const NodeId target = tree_.node(step).kids[0];
  texts_.note_changes(facts_.changed().by(step));
  texts_.set_result(step, texts_.of(target));
  return true;
}

/// Whether a branch or loop changes nothing but integers that the program has:
/// `if (s == 4) s = 0;`.
bool Skeleton::has_integers_only(NodeId id) const {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock || node.op == COperator::kComma) {
    return std::all_of(node.kids.begin(), node.kids.end(),
                       [&](NodeId kid) { return has_integers_only(kid); });
  }
  if (node.kind == NodeKind::kIf) {
    const NodeId step = leading_step(node.kids[0]);
    const bool known = step == kNone ? !texts_.of(node.kids[0]).empty() : has_integers_only(step);
    return known && std::all_of(node.kids.begin() + 1, node.kids.end(),
                                [&](NodeId kid) { return has_integers_only(kid); });
  }
  if (node.kind == NodeKind::kFor) {
    const Node& start = tree_.node(node.kids[0]);
    return start.kind == NodeKind::kDeclare && start.kids.size() == 1 &&
           !texts_.of(start.kids[0]).empty() && !texts_.of(node.kids[1]).empty() &&
           has_integers_only(node.kids[3]);
  }
  const bool steps = is_step(node.op);
  if (!steps && node.kind != NodeKind::kAssign) {
    return false;
  }
  const Node& target = tree_.node(node.kids[0]);
  return target.kind == NodeKind::kVariable && draft_.is_integer(texts_.variable(target.index)) &&
         (steps || !texts_.of(node.kids[1]).empty());
}

/// Whether the rounds of a counted loop are known where it begins: they depend on no memory, and
/// nothing in the loop changes its variable, its limit or its step.
bool Skeleton::has_fixed_rounds(const Node& loop, const Node& step,
                                const std::vector<NodeId>& rest) const {
  std::set<VariableId> changes = facts_.changed().by(loop.kids[3]);
  for (const NodeId id : rest) {
    changes.merge(facts_.changed().by(id));
  }
  std::vector<NodeId> open = {loop.kids[1]};
  open.insert(open.end(), step.kids.begin(), step.kids.end());
  while (!open.empty()) {
    const NodeId id = open.back();
    const Node& node = tree_.node(id);
    open.pop_back();
    if (facts_.from_memory().is_data(id) || facts_.from_memory().reads(id) ||
        (node.kind == NodeKind::kVariable && meet(changes, facts_.changed().in(id)))) {
      return false;
    }
    open.insert(open.end(), node.kids.begin(), node.kids.end());
  }
  return true;
}

/// `for (int i = a; i < b; i += c, ...)`: the head, and what else a step does.
bool Skeleton::counted(const Node& node, std::string& head, std::vector<NodeId>& rest) {
  if (node.kind != NodeKind::kFor) {
    return false;
  }
  const Node& start = tree_.node(node.kids[0]);
  const Node& condition = tree_.node(node.kids[1]);
  const Node* step = &tree_.node(node.kids[2]);
  while (step->op == COperator::kComma) {
    rest.push_back(step->kids[1]);
    step = &tree_.node(step->kids[0]);
  }
  std::reverse(rest.begin(), rest.end());
  const bool starts = start.kind == NodeKind::kDeclare && start.kids.size() == 1;
  const bool up_to = condition.op == COperator::kLessEqual;
  const bool compares = (condition.op == COperator::kLess || up_to) &&
                        tree_.node(condition.kids[0]).kind == NodeKind::kVariable &&
                        tree_.node(condition.kids[0]).index == start.index;
  const bool one = is_step(step->op) && step_operator(step->op) == COperator::kAdd;
  const bool several = step->kind == NodeKind::kAssign && step->op == COperator::kAdd;
  if (!starts || !compares || (!one && !several) ||
      tree_.node(step->kids[0]).kind != NodeKind::kVariable ||
      tree_.node(step->kids[0]).index != start.index) {
    return false;
  }
  // A step behind a comma is done when the variable has its next value.
  const auto names_it = [&](NodeId id) { return facts_.names(id, start.index); };
  const TypeId type = tree_.variable(start.index).type;
  if (type == kNone || tree_.type(type).bytes < kIndexBytes ||
      !has_fixed_rounds(node, *step, rest) || std::ranges::any_of(rest, names_it)) {
    return false;
  }
  const std::string first = texts_.of(start.kids[0]);
  const std::string limit = texts_.of(condition.kids[1]);
  const std::string by = one ? "1" : texts_.of(step->kids[1]);
  const std::string name = texts_.variable(start.index);
  if (first.empty() || limit.empty() || by.empty()) {
    return false;
  }
  const std::optional<std::int64_t> rounds =
      index_poly(limit, symbols_).plus(index_poly(first, symbols_), -1).number();
  if (rounds && *rounds <= 0 && !up_to) {
    return true;  // Without a head: it has no rounds.
  }
  draft_.set_integer(name);
  const std::string last = up_to ? "(" + limit + ") + 1" : limit;
  head = "for " + name + " in range(" + (first == "0" && by == "1" ? "" : first + ", ") + last +
         (by == "1" ? "" : ", " + by) + "):";
  return true;
}

/// `while (order.next(row, column))`. False: the condition is no function on integers.
bool Skeleton::called_loop(const Node& node) {
  const ProgramDraft before = draft_;
  draft_.line("while True:", node.range);
  draft_.indent();
  const bool calls = helper_calls(node.kids[0]);
  const std::string condition = texts_.of(node.kids[0]);
  if (!calls || condition.empty()) {
    draft_ = before;
    return false;
  }
  draft_.line("if not (" + condition + "):", node.range);
  draft_.line("    break", ProgramDraft::kUnmarked);
  const KernelTexts::Rounds rounds = texts_.enter_rounds(node);
  statement(node.kids[1]);
  close_hole();
  texts_.leave_rounds(rounds);
  draft_.outdent();
  return true;
}

void Skeleton::loop(const Node& node) {
  close_hole();
  std::string head;
  std::vector<NodeId> rest;
  texts_.note_changes(facts_.changed().by(static_cast<NodeId>(&node - tree_.nodes.data())));
  const bool known = counted(node, head, rest);
  const NodeId body = node.kind == NodeKind::kDo ? node.kids[0] : node.kids.back();
  if (known && head.empty()) {
    return;
  }
  if (!known && node.kind == NodeKind::kFor) {
    statement(node.kids[0]);
    rest = {node.kids[2]};
  }
  if (!known) {
    const NodeId asked = node.kids[node.kind == NodeKind::kWhile ? 0 : 1];
    const std::string condition = node.kind == NodeKind::kDo ? "" : texts_.of(asked);
    if (condition.empty() && node.kind == NodeKind::kWhile && called_loop(node)) {
      return;
    }
    if (condition.empty()) {
      draft_.refuse(node.range, "a loop whose condition has no form in CuIR");
    }
    head = "while " + (condition.empty() ? "True" : condition) + ":";
  }
  draft_.line(head, node.range);
  draft_.indent();
  const KernelTexts::Rounds rounds = texts_.enter_rounds(node);
  const std::size_t before = draft_.lines().size();
  statement(body);
  for (const NodeId step : rest) {
    statement(step);
  }
  close_hole();
  texts_.leave_rounds(rounds);
  draft_.outdent();
  if (known && draft_.lines().size() == before) {
    draft_.remove_last_line();  // All that it does is done where the program is built.
  } else if (draft_.has_comments_only(before)) {
    draft_.indent();
    draft_.line("pass", ProgramDraft::kUnmarked);
    draft_.outdent();
  }
}

}  // namespace ws::lift
