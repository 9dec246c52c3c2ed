// Functions on integers, such as a schedule's `next()`: methods of the program, which give what
// they change as well, as a program's methods change nothing. Objects are variables, one for each
// field.
#include <algorithm>
#include <iterator>

#include "runtime/ir/syntax/reserved.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

/// `tiles::Schedule<1, 8>::next` is `Schedule_next`.
std::string method_name(const std::string& qualified, bool of_class) {
  std::string name;
  int depth = 0;
  for (const char c : qualified) {
    depth += c == '<' ? 1 : 0;
    name += depth == 0 ? std::string(1, c) : "";
    depth -= c == '>' ? 1 : 0;
  }
  const std::size_t last = name.rfind("::");
  const std::size_t cut =
      of_class && last != std::string::npos && last > 0 ? name.rfind("::", last - 1) : last;
  name = cut == std::string::npos ? name : name.substr(cut + 2);
  for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::")) {
    name.replace(at, 2, "_");
  }
  return name;
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

void put_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

}  // namespace

/// Variables and fields of `id` that a caller knows, by their names here, and which of them it gets
/// another value of.
void Skeleton::note_uses(NodeId id, const Function& callee, bool target, Helper& helper) const {
  const Node& node = tree_.node(id);
  const bool field =
      node.kind == NodeKind::kMember && tree_.node(node.kids[0]).kind == NodeKind::kVariable;
  const VariableId root = field                              ? tree_.node(node.kids[0]).index
                          : node.kind == NodeKind::kVariable ? node.index
                                                             : kNone;
  if (root != kNone) {
    const auto param = std::find(callee.params.begin(), callee.params.end(), root);
    if (param == callee.params.end()) {
      return;
    }
    helper.known = helper.known && facts_.is_integer(node.type);
    const std::string name =
        ir::free_name(tree_.variable(root).name + (field ? "_" + node.text : ""));
    put_once(helper.params, name);
    const auto at = static_cast<std::size_t>(param - callee.params.begin());
    helper.given.emplace(name, std::pair(at, field ? node.text : ""));
    if (target && tree_.variable(root).reference) {
      put_once(helper.outputs, name);
    }
    return;
  }
  const bool writes = node.kind == NodeKind::kAssign || is_step(node.op);
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    note_uses(node.kids[i], callee, writes && i == 0, helper);
  }
}

/// Writes a statement of a function on integers. False: it is not one.
bool Skeleton::helper_statement(NodeId id, const Helper& helper) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kBlock) {
    return std::all_of(node.kids.begin(), node.kids.end(),
                       [&](NodeId kid) { return helper_statement(kid, helper); });
  }
  if (node.kind == NodeKind::kReturn) {
    std::vector<std::string> values = helper.outputs;
    if (!node.kids.empty()) {
      values.insert(values.begin(), texts_.of(node.kids[0]));
    }
    draft_.line("return " + listed(values), node.range);
    return values.empty() || !values.front().empty();
  }
  if (node.kind == NodeKind::kIf) {
    const std::string condition = texts_.of(node.kids[0]);
    draft_.line("if " + condition + ":", node.range);
    bool known = !condition.empty();
    for (std::size_t side = 1; side < node.kids.size(); ++side) {
      if (side == 2) {
        draft_.line("else:", ProgramDraft::kUnmarked);
      }
      draft_.indent();
      const std::size_t before = draft_.lines().size();
      known = known && helper_statement(node.kids[side], helper);
      if (draft_.lines().size() == before) {
        draft_.line("pass", ProgramDraft::kUnmarked);
      }
      draft_.outdent();
    }
    return known;
  }
  return facts_.is_assertion(id) || (node.kind == NodeKind::kDeclare && node.kids.empty()) ||
         integer_statement(node);
}

/// The method that a function is, written once; nullptr: it does more than count.
const Skeleton::Helper* Skeleton::helper_of(FunctionId id) {
  const auto [entry, fresh] = helpers_.try_emplace(id);
  Helper& helper = entry->second;
  const Function& callee = tree_.function(id);
  if (!fresh || callee.body == kNone || facts_.has_primitives(callee.body)) {
    return helper.known ? &helper : nullptr;
  }
  helper.known = true;
  helper.gives = facts_.is_integer(callee.result);
  note_uses(callee.body, callee, false, helper);
  const bool of_class = !callee.params.empty() && tree_.variable(callee.params[0]).name == "this";
  helper.name = method_name(callee.name, of_class);
  while (ir::is_reserved(helper.name) || draft_.has_method(helper.name)) {
    helper.name += "_";
  }
  const ProgramDraft before = draft_;
  const ProgramDraft::Place around = draft_.begin_function(helper.name, helper.params);
  std::map<VariableId, std::string> names;
  for (const VariableId param : callee.params) {
    names[param] = ir::free_name(tree_.variable(param).name);
  }
  texts_.enter(std::move(names));
  helper.known = helper.known && (helper.gives || !helper.outputs.empty()) &&
                 helper_statement(callee.body, helper);
  texts_.leave();
  draft_.end_function(around);
  if (!helper.known) {
    draft_ = before;
  }
  return helper.known ? &helper : nullptr;
}

/// `more, order_it = self.Schedule_next(order_it)`. False: the call has no such form.
/// @param target  The name for its value; empty: one of its own.
bool Skeleton::helper_call(NodeId id, const std::string& target) {
  const Node& node = tree_.node(id);
  const Helper* helper = node.index == kNone ? nullptr : helper_of(node.index);
  if (helper == nullptr) {
    return false;
  }
  const auto place = [&](const std::string& name) {
    const auto& [at, field] = helper->given.at(name);
    const std::string given = at < node.kids.size() ? texts_.of(node.kids[at]) : "";
    return given.empty() || field.empty() ? given : given + "_" + field;
  };
  std::vector<std::string> args;
  std::vector<std::string> results;
  if (helper->gives) {
    results.push_back(!target.empty() ? target : draft_.new_name("next_"));
    texts_.set_result(id, results.front());
  }
  std::transform(helper->params.begin(), helper->params.end(), std::back_inserter(args), place);
  std::transform(helper->outputs.begin(), helper->outputs.end(), std::back_inserter(results),
                 place);
  if (std::find(args.begin(), args.end(), "") != args.end()) {
    return false;
  }
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
  bool any = false;
  for (const NodeId kid : node.kids) {
    any = helper_calls(kid) || any;
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
  while (tree_.node(call).kind == NodeKind::kCast) {
    call = tree_.node(call).kids[0];
  }
  const Node& called = tree_.node(call);
  if (called.kind != NodeKind::kCall || called.index == kNone) {
    return false;
  }
  if (declares || assigns) {
    return facts_.is_integer(node.type) &&
           helper_call(call,
                       texts_.variable(declares ? node.index : tree_.node(node.kids[0]).index));
  }
  return begin_object(called) || helper_call(call, "");
}

/// A constructor that only gives the fields of an object their first values is entered.
bool Skeleton::begin_object(const Node& call) {
  const Function& callee = tree_.function(call.index);
  const bool of_class = !callee.params.empty() && callee.body != kNone &&
                        tree_.variable(callee.params[0]).name == "this";
  if (!of_class || !facts_.is_straight(callee.body)) {
    return false;
  }
  std::map<VariableId, std::string> names;
  for (std::size_t i = 0; i < callee.params.size() && i < call.kids.size(); ++i) {
    names[callee.params[i]] = texts_.of(call.kids[i]);
  }
  close_hole();
  texts_.enter(std::move(names));
  statement(callee.body);
  close_hole();
  texts_.leave();
  return true;
}

}  // namespace ws::lift
