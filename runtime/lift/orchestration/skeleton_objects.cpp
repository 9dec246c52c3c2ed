// Calls of functions on integers, such as a schedule's `next()`, and objects: these are variables,
// one for each field.
#include <algorithm>
#include <iterator>

#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {

/// `more, order_it = self.Schedule_next(order_it)`. False: the call has no such form.
/// @param target  The name for its value; empty: one of its own.
bool Skeleton::helper_call(NodeId id, const std::string& target) {
  const Node& node = tree_.node(id);
  const bool known = node.index != kNone && facts_.from_memory().has_form(id);
  const Helper* helper = known ? helper_of(node) : nullptr;
  if (helper == nullptr) {
    return false;
  }
  const auto place = [&](const std::string& name) { return given_text(node, *helper, name); };
  std::vector<std::string> args;
  std::vector<std::string> results;
  std::transform(helper->params.begin(), helper->params.end(), std::back_inserter(args), place);
  const auto is_scalar = [&](const std::string& name) {
    const std::string given = place(name);
    // Which element it is may depend on what else the call gives.
    const bool element = given.find('[') != std::string::npos;
    return given.starts_with("self.") && (!element || helper->outputs.size() > 1);
  };
  // One variable behind two references has the value of the last assignment to either.
  const auto is_twice = [&](const std::string& name) {
    return std::ranges::count(args, place(name)) > 1;
  };
  if (std::find(args.begin(), args.end(), "") != args.end() ||
      std::ranges::any_of(helper->outputs, is_twice) ||
      std::ranges::any_of(helper->outputs, is_scalar)) {
    return false;
  }
  if (helper->gives) {
    results.push_back(!target.empty() ? target : draft_.new_name("next_"));
    texts_.set_result(id, results.front());
  }
  std::transform(helper->outputs.begin(), helper->outputs.end(), std::back_inserter(results),
                 place);
  for (const std::string& result : results) {
    draft_.set_integer(result);
  }
  close_hole();
  draft_.line(listed(results) + " = self." + helper->name + "(" + listed(args) + ")", node.range);
  return true;
}

/// Writes the calls that an expression needs. False: there is none, or one has no form.
bool Skeleton::helper_calls(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kCall && node.index != kNone) {
    return helper_call(id, "");
  }
  const bool chooses =
      node.kind == NodeKind::kSelect || node.op == COperator::kAnd || node.op == COperator::kOr;
  bool any = false;
  for (std::size_t i = 0; i < (chooses ? 1 : node.kids.size()); ++i) {
    any = helper_calls(node.kids[i]) || any;
  }
  return any;
}

/// `int tile = order.next();`, `order.skip();`, and what a constructor does. False: another
/// statement.
bool Skeleton::helper_statement(NodeId id) {
  const Node& node = tree_.node(id);
  const bool declares = node.kind == NodeKind::kDeclare && node.kids.size() == 1;
  const bool assigns =
      is_plain_assignment(node) && tree_.node(node.kids[0]).kind == NodeKind::kVariable;
  NodeId call = declares ? node.kids[0] : assigns ? node.kids[1] : id;
  while (tree_.node(call).kind == NodeKind::kCast && facts_.from_memory().has_form(call) &&
         texts_.keeps_bits(tree_.node(call)) && tree_.type(tree_.node(call).type).name != "bool") {
    call = tree_.node(call).kids[0];
  }
  const Node& called = tree_.node(call);
  if (called.kind != NodeKind::kCall || called.index == kNone) {
    return false;
  }
  if (declares || assigns) {
    const Node& target = declares ? node : tree_.node(node.kids[0]);
    const bool names_other = declares && tree_.variable(node.index).reference;
    const std::string name = target_name(declares ? kNone : node.kids[0], target);
    return facts_.is_integer(node.type) && !names_other && !name.empty() && helper_call(call, name);
  }
  return begin_object(called) || helper_call(call, "");
}

/// `tiles = order;` in a constructor: a pointer of an object, which has no line. False: another
/// statement, or one of several that change this pointer.
bool Skeleton::pointer_field(const Node& node) {
  if (!facts_.is_pointer_field(node)) {
    return false;
  }
  const Node& target = tree_.node(node.kids[0]);
  const std::string object = texts_.of(target.kids[0]);
  const std::string place = texts_.of(node.kids[1]);
  if (object.empty() || object.starts_with("self.") || !place.starts_with("self.") ||
      !texts_.is_unchanged(node.kids[1])) {
    return false;
  }
  const std::string name = object + "_" + target.text;
  if (const std::string before = texts_.field(name); !before.empty() && before != place) {
    return false;  // It may have been given in another branch, or in another round.
  }
  texts_.set_field(name, place);
  return true;
}

/// A constructor that only gives the fields of an object their first values is entered.
bool Skeleton::begin_object(const Node& call) {
  const Function& callee = tree_.function(call.index);
  const bool of_class = !callee.params.empty() && callee.body != kNone &&
                        tree_.variable(callee.params[0]).name == "this";
  if (!of_class || !facts_.is_straight(callee.body)) {
    return false;
  }
  close_hole();
  std::map<VariableId, std::string> names = argument_names(call);
  texts_.enter(std::move(names));
  statement(callee.body);
  close_hole();
  texts_.leave();
  return true;
}

}  // namespace ws::lift
