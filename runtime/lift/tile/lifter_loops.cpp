// Loops.
#include <utility>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxUnrolled = 256;

constexpr int kNot = 3;  // The precedence of `not`, as operators.def has it.

}  // namespace

Status Lifter::loop_body(const Node& node, NodeId condition) {
  std::set<std::string> names;
  assigned_names(node.body, names);
  const std::map<std::string, Value> before = scopes_.back().names;
  const bool written_out = std::exchange(scopes_.back().written_out, false);
  ++loops_;
  ++scopes_.back().depth;
  writer_.indent();
  if (condition == kNoNode || leave_unless(node, condition)) {
    block(node.body);
  }
  scopes_.back().written_out = written_out;
  writer_.outdent();
  --scopes_.back().depth;
  --loops_;
  for (const std::string& name : names) {
    const auto known = before.find(name);
    const auto after = scopes_.back().names.find(name);
    if (known == before.end() || after == scopes_.back().names.end() ||
        known->second.kind == ValueKind::kUnknown || after->second.kind == ValueKind::kUnknown) {
      continue;
    }
    if (!same_type(known->second, after->second)) {
      return complain(node,
                      "`" + name + "` is " + describe(known->second) + " before the loop and " +
                          describe(after->second) + " at the end of its body",
                      "give it the type and shape of the end before the loop");
    }
    scopes_.back().names[name] = known->second;
  }
  forget_new_names(before, node.line);
  return {};
}

Status Lifter::for_loop(const Node& node) {
  const Node& iterable = file_.node(node.kids[1]);
  WS_TRY(const Value over, eval(node.kids[1]));
  const Node& target = file_.node(node.kids[0]);
  if (target.kind != NodeKind::kName) {
    return complain(target, "a loop counts with one name");
  }
  const bool counted = over.kind == ValueKind::kTuple && over.text == "range";
  if (!counted && over.kind == ValueKind::kTuple) {
    return unroll(node, over.items);
  }
  if (!counted) {
    return complain(iterable, "a loop goes over `range`, got " + describe(over));
  }
  return counted_loop(node, target.text, over.items);
}

Status Lifter::counted_loop(const Node& node, const std::string& name,
                            const std::vector<Value>& range) {
  const Value& first = range[0];
  const Value& last = range[1];
  const Value& step = range[2];
  std::string text = "range(" + last.text + ")";
  if (step.integer != 1) {
    text = "range(" + first.text + ", " + last.text + ", " + step.text + ")";
  } else if (first.integer != 0) {
    text = "range(" + first.text + ", " + last.text + ")";
  }
  std::set<std::string> names;
  assigned_names(node.body, names);
  const std::optional<Outer> outer = hide(name);
  // After a loop of Python the name is its last number, or what it was before.
  const bool goes_on =
      !julia() && outer && outer->value.is_number() && !is_float(outer->value.dtype);
  if (goes_on) {
    restore(name, outer);
    names.insert(name);
  }
  loosen(names, node.line);
  const std::string counter = variable_of(name);
  emit("for " + counter + " in " + text + ":", node.line);
  scopes_.back().names[name] = number_of(DType::kI32, counter);
  WS_CHECK(loop_body(node));
  if (julia()) {
    restore(name, outer);
  } else if (!goes_on) {
    hide(name);
    scopes_.back().lost[name] = node.line;
  }
  return {};
}

std::optional<Lifter::Outer> Lifter::hide(const std::string& name) {
  Scope& scope = scopes_.back();
  const auto value = scope.names.find(name);
  std::optional<Outer> outer;
  if (value != scope.names.end()) {
    const auto variable = scope.variables.find(name);
    outer = Outer{value->second, variable == scope.variables.end() ? "" : variable->second};
    scope.names.erase(value);
  }
  scope.variables.erase(name);
  return outer;
}

void Lifter::restore(const std::string& name, const std::optional<Outer>& outer) {
  hide(name);
  Scope& scope = scopes_.back();
  if (outer) {
    scope.names[name] = outer->value;
  }
  if (outer && !outer->variable.empty()) {
    scope.variables[name] = outer->variable;
  }
}

Status Lifter::unroll(const Node& node, const std::vector<Value>& items) {
  if (items.size() > kMaxUnrolled) {
    return complain(node,
                    "the loop is written out " + std::to_string(items.size()) + " times: at most " +
                        std::to_string(kMaxUnrolled),
                    "use a loop over `range`");
  }
  const std::string& name = file_.node(node.kids[0]).text;
  const std::optional<Outer> outer = julia() ? hide(name) : std::nullopt;
  const bool before = std::exchange(scopes_.back().written_out, true);
  for (const Value& item : items) {
    WS_CHECK(count_steps(node, 1));
    scopes_.back().names[name] = kept(item, name, node.line);
    block(node.body);
  }
  scopes_.back().written_out = before;
  if (julia()) {
    restore(name, outer);
  }
  return {};
}

Status Lifter::while_loop(const Node& node) {
  // Names that the loop changes are variables in its condition too.
  std::set<std::string> names;
  assigned_names(node.body, names);
  loosen(names, node.line);
  const std::size_t before = writer_.count();
  WS_TRY(const Value condition, loop_condition(node, node.kids[0]));
  if (writer_.count() == before) {
    emit("while " + condition.text + ":", node.line);
    return loop_body(node);
  }
  // It takes statements to work it out, which belong to each round.
  writer_.drop(before);
  emit("while True:", node.line);
  return loop_body(node, node.kids[0]);
}

Result<Value> Lifter::loop_condition(const Node& node, NodeId id) {
  WS_TRY(Value condition, eval(id));
  if (!condition.is_number()) {
    return complain(node, "the condition of a loop is a number, got " + describe(condition));
  }
  return condition;
}

Status Lifter::leave_unless(const Node& node, NodeId id) {
  WS_TRY(const Value condition, loop_condition(node, id));
  emit("if not " + at(condition, kNot) + ":", node.line);
  writer_.indent();
  emit("break", node.line);
  writer_.outdent();
  return {};
}

}  // namespace ws::lift::tile
