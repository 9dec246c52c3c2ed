// Calls of a skeleton: wrappers are entered, so that a call of one is what its assembly does, with
// the caller's names.
#include <algorithm>
#include <utility>

#include "runtime/ir/syntax/reserved.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

constexpr int kMaxCalls = 16;

/// The variable whose value a function ends with; kNone: none.
VariableId returned_variable(const Tree& tree, NodeId body) {
  const Node* last = &tree.node(body);
  while (last->kind == NodeKind::kBlock && !last->kids.empty()) {
    last = &tree.node(last->kids.back());
  }
  const bool gives = last->kind == NodeKind::kReturn && last->kids.size() == 1 &&
                     tree.node(last->kids[0]).kind == NodeKind::kVariable;
  const VariableId id = gives ? tree.node(last->kids[0]).index : kNone;
  return id != kNone && tree.variable(id).space == Space::kLocal ? id : kNone;
}

}  // namespace

/// Visits the primitives of one statement in the order of its evaluation.
void Skeleton::primitives(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kAsm) {
    assembly(node);
    return;
  }
  if (node.kind == NodeKind::kBlock || node.kind == NodeKind::kIf) {
    statement(id);
    return;
  }
  want_value(node);
  // The arguments of a call have no names of their own.
  const std::optional<std::string> wanted = wanted_;
  wanted_ = node.kind == NodeKind::kCall ? std::nullopt : wanted;
  const bool chooses =
      node.kind == NodeKind::kSelect ||
      (node.kind == NodeKind::kBinary && (node.op == COperator::kAnd || node.op == COperator::kOr));
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    if (facts_.has_primitives(node.kids[i]) && chooses && i > 0) {
      draft_.lost(node.range, node.kind == NodeKind::kSelect ? "?:" : operator_text(node),
                  "what is done under a condition has a form as an `if` only");
    } else if (facts_.has_primitives(node.kids[i])) {
      primitives(node.kids[i]);
    }
  }
  wanted_ = wanted;
  give_value(node);
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    called(id);
  } else if (node.kind == NodeKind::kCall) {
    const Meaning* meaning = meaning_of_function(node.text);
    if (orchestrates(meaning) && meaning->effect != Effect::kSync) {
      lost_by_threads(*meaning, node.text, node.range);
    } else if (orchestrates(meaning)) {
      std::vector<std::string> args(node.kids.size());
      std::transform(node.kids.begin(), node.kids.end(), args.begin(),
                     [&](NodeId kid) { return texts_.of(kid); });
      primitive(meaning, node.text, std::move(args), node.range);
    }
  }
}

/// Threads or warps do this one by one: only the block's statement as a whole has a form here.
void Skeleton::lost_by_threads(const Meaning& meaning, const std::string& name,
                               const Range& range) {
  draft_.lost(range, name,
              std::string(meaning.meaning) + (refusal_.empty() ? "" : ": " + refusal_));
}

/// `token = bar.arrive()`, `return bar.arrive()`: the name that the call's value is to get.
void Skeleton::want_value(const Node& node) {
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  if (node.kind == NodeKind::kReturn && !returns_.empty()) {
    wanted_ = returns_.back().wanted;
  } else if (declares ||
             (is_plain_assignment(node) && tree_.node(node.kids[0]).kind == NodeKind::kVariable)) {
    const VariableId id = declares ? node.index : tree_.node(node.kids[0]).index;
    wanted_ = facts_.is_read(id) ? texts_.variable(id) : "";
  }
}

/// The value of what was entered, for the expression that asked for it.
void Skeleton::give_value(const Node& node) {
  if (node.kind == NodeKind::kReturn) {
    wanted_.reset();
    returned(node);
    return;
  }
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  if (!declares && !is_plain_assignment(node)) {
    return;
  }
  wanted_.reset();
  const std::string target = declares ? texts_.variable(node.index) : texts_.of(node.kids[0]);
  const std::string value = texts_.of(node.kids[declares ? 0 : 1]);
  draft_.take(target);
  if (!value.empty() && value != target) {
    draft_.line(target + " = " + value, node.range);
  }
  if (!value.empty()) {
    draft_.set_integer(target);
  }
}

void Skeleton::returned(const Node& node) {
  if (!returns_.empty()) {
    returns_.back().text = node.kids.empty() ? "" : texts_.of(node.kids[0]);
  }
}

/// Whether an argument is an integer that the function has for itself: it changes it, or changes
/// what the caller computed it of.
bool Skeleton::is_own_integer(const Node& call, std::size_t argument) const {
  const Function& callee = tree_.function(call.index);
  const VariableId param = callee.params[argument];
  const NodeId given = call.kids[argument];
  if (tree_.variable(param).reference || !facts_.is_integer(tree_.variable(param).type) ||
      facts_.is_address(given)) {
    return false;
  }
  const auto gets = [&](VariableId other, NodeId of) {
    const Node& target = tree_.node(of);
    return tree_.variable(other).reference && target.kind == NodeKind::kVariable &&
           facts_.names(given, target.index) && facts_.changes(callee.body, other);
  };
  bool own = facts_.changes(callee.body, param);
  for (std::size_t i = 0; i < callee.params.size() && i < call.kids.size(); ++i) {
    own = own || gets(callee.params[i], call.kids[i]);
  }
  return own;
}

void Skeleton::called(NodeId id) {
  const Node& node = tree_.node(id);
  const Function& callee = tree_.function(node.index);
  const std::optional<std::string> wanted = std::exchange(wanted_, std::nullopt);
  if (callee.body == kNone || !facts_.has_primitives(callee.body) || texts_.depth() > kMaxCalls) {
    return;
  }
  std::map<VariableId, std::string> names;
  for (std::size_t i = 0; i < callee.params.size() && i < node.kids.size(); ++i) {
    const VariableId param = callee.params[i];
    names[param] = texts_.of(node.kids[i]);
    if (is_own_integer(node, i) && !names[param].empty()) {
      const std::string own = texts_.variable(param);
      close_hole();
      draft_.line(own + " = " + names[param], node.range);
      draft_.set_integer(own);
      names[param] = own;
    } else {
      texts_.set_argument(param, node.kids[i]);
    }
  }
  // The body of a helper file is tied to the line that calls it.
  const bool helper = callee.range.region != node.range.region && draft_.enter_call(node.range);
  if (const VariableId value = returned_variable(tree_, callee.body); value != kNone) {
    names[value] = wanted ? *wanted : texts_.variable(value);
  }
  texts_.enter(std::move(names));
  returns_.push_back({wanted, ""});
  statement(callee.body);
  close_hole();
  texts_.leave();
  texts_.set_result(id, returns_.back().text);
  returns_.pop_back();
  if (helper) {
    draft_.leave_call();
  }
}

}  // namespace ws::lift
