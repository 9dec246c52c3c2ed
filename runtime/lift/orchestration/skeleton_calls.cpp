// Calls of a skeleton: wrappers are entered, so that a call of one is what its assembly does, with
// the caller's names.
#include <algorithm>
#include <utility>

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
  // Operands and the arguments of a call have no names of their own.
  const bool gives = node.kind == NodeKind::kDeclare || node.kind == NodeKind::kAssign ||
                     node.kind == NodeKind::kReturn;
  const std::optional<std::string> wanted = wanted_;
  wanted_ = gives ? wanted : std::nullopt;
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
    const bool reads_it = !declares && facts_.changed().in(node.kids[1]).contains(id);
    wanted_ = reads_it             ? std::nullopt
              : facts_.is_read(id) ? std::optional(texts_.variable(id))
                                   : "";
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
  if (draft_.depth() > (returns_.empty() ? role_depth_ : returns_.back().depth)) {
    draft_.refuse(node.range, "a `return` within a branch or a loop");
  } else if (returns_.empty() ? is_of_some() : active_ != returns_.back().active) {
    draft_.refuse(node.range, "a `return` of some threads of a worker");
  }
  ended_ = true;
  if (!returns_.empty()) {
    returns_.back().text = node.kids.empty() ? "" : texts_.of(node.kids[0]);
  }
}

/// How many calls in a statement are entered and give a number.
int Skeleton::calls_of(NodeId id) const {
  const Node& node = tree_.node(id);
  const bool entered = node.kind == NodeKind::kCall && node.index != kNone &&
                       facts_.is_integer(node.type) && facts_.has_primitives(id);
  int count = entered ? 1 : 0;
  for (const NodeId kid : node.kids) {
    count += calls_of(kid);
  }
  return count;
}

/// The text of an argument in the function; empty: it may change there, and has none.
std::string Skeleton::argument_name(const Node& call, std::size_t argument) {
  const Function& callee = tree_.function(call.index);
  const VariableId param = callee.params[argument];
  const NodeId given = call.kids[argument];
  const Variable& variable = tree_.variable(param);
  const ChangedVariables& changed = facts_.changed();
  const std::set<VariableId> changes = changed.by(callee.body);
  std::string text = texts_.of(given);
  const bool integer = facts_.is_integer(variable.type) && !facts_.is_address(given) &&
                       (!variable.reference || !texts_.is_place(given));
  const bool changes_it = changes.contains(param);
  if (integer && !text.empty() &&
      (changes_it || facts_.from_memory().reads(given) || meet(changes, changed.in(given)))) {
    const std::string own = texts_.variable(param);
    close_hole();
    draft_.line(own + " = " + text, call.range);
    draft_.set_integer(own);
    return own;
  }
  texts_.set_argument(param, given);
  if (integer) {
    return text;
  }
  // A place stands for the same variable there, unless another one says which element it is.
  std::set<VariableId> parts = changed.in(given);
  if (const NodeId root = changed.root_of(given); root != kNone) {
    // The element changes, or what a pointer leads to: the place does not.
    std::set<VariableId> names = changed.in(root);
    if (!variable.reference && facts_.is_pointer(tree_.node(root).index)) {
      names.erase(tree_.node(root).index);
    }
    std::erase_if(parts, [&](VariableId id) { return names.contains(id); });
  }
  const bool own = !variable.reference && changes_it && !facts_.is_pointer(param);
  return meet(changes, parts) || text.empty() ? "" : own ? own_object(param, text) : text;
}

/// Gives a parameter the fields of an object that it is a copy of. @return  Its name; empty: it is
/// no object.
std::string Skeleton::own_object(VariableId param, const std::string& given) {
  const TypeId type = tree_.variable(param).type;
  if (type == kNone || tree_.type(type).kind != TypeKind::kStruct || given.starts_with("self.")) {
    return {};
  }
  const std::string own = texts_.variable(param);
  close_hole();
  for (const Field& field : tree_.type(type).fields) {
    const std::string from = given + "_" + field.name;
    const std::string to = own + "_" + field.name;
    texts_.set_field(to, texts_.field(from));
    if (draft_.is_integer(from) && from != to) {
      draft_.line(to + " = " + from, ProgramDraft::kUnmarked);
      draft_.set_integer(to);
    }
  }
  return own;
}

std::map<VariableId, std::string> Skeleton::argument_names(const Node& call) {
  const Function& callee = tree_.function(call.index);
  texts_.forget_pointers(callee);
  std::map<VariableId, std::string> names;
  for (std::size_t i = 0; i < callee.params.size() && i < call.kids.size(); ++i) {
    names[callee.params[i]] = argument_name(call, i);
  }
  return names;
}

void Skeleton::called(NodeId id) {
  const Node& node = tree_.node(id);
  const Function& callee = tree_.function(node.index);
  const std::optional<std::string> wanted = std::exchange(wanted_, std::nullopt);
  if (callee.body == kNone || !facts_.has_primitives(callee.body)) {
    return;
  }
  if (texts_.depth() > kMaxCalls || std::ranges::count(entered_, node.index) > 0) {
    draft_.refuse(node.range, "calls that are nested too deeply, or a function that calls itself");
    return;
  }
  const bool several = std::exchange(several_, false);
  std::map<VariableId, std::string> names = argument_names(node);
  // The body of a helper file is tied to the line that calls it.
  const bool helper = callee.range.region != node.range.region && draft_.enter_call(node.range);
  if (const VariableId value = returned_variable(tree_, callee.body); value != kNone) {
    names[value] = wanted ? *wanted : several ? draft_.new_name("next_") : texts_.variable(value);
  }
  texts_.enter(std::move(names));
  entered_.push_back(node.index);
  returns_.push_back({wanted, "", draft_.depth(), active_});
  statement(callee.body);
  ended_ = false;
  close_hole();
  texts_.leave();
  entered_.pop_back();
  std::string result = returns_.back().text;
  returns_.pop_back();
  if (several && !wanted && !result.empty()) {
    const std::string own = draft_.new_name("next_");
    draft_.line(own + " = " + result, node.range);
    draft_.set_integer(own);
    result = own;
  }
  texts_.set_result(id, result);
  several_ = several;
  if (helper) {
    draft_.leave_call();
  }
}

}  // namespace ws::lift
