// Loops and branches, and what the names hold after them.
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxUnrolled = 256;

}  // namespace

Status Lifter::loop_body(const Node& node) {
  std::set<std::string> names;
  assigned_names(node.body, names);
  const std::map<std::string, Value> before = scopes_.back().names;
  ++loops_;
  ++scopes_.back().depth;
  writer_.indent();
  block(node.body);
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

void Lifter::forget_new_names(const std::map<std::string, Value>& before, int line) {
  Scope& scope = scopes_.back();
  for (auto name = scope.names.begin(); name != scope.names.end();) {
    if (before.contains(name->first)) {
      ++name;
    } else {
      scope.lost[name->first] = line;
      name = scope.names.erase(name);
    }
  }
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
  const Value& first = over.items[0];
  const Value& last = over.items[1];
  const Value& step = over.items[2];
  const std::string name = variable(target.text);
  Value counter = number_of(DType::kI32, name);
  std::string range = "range(" + last.text + ")";
  if (step.integer != 1) {
    range = "range(" + first.text + ", " + last.text + ", " + step.text + ")";
  } else if (first.integer != 0) {
    range = "range(" + first.text + ", " + last.text + ")";
  }
  std::set<std::string> names;
  assigned_names(node.body, names);
  loosen(names, node.line);
  emit("for " + name + " in " + range + ":", node.line);
  scopes_.back().names[target.text] = counter;
  return loop_body(node);
}

Status Lifter::unroll(const Node& node, const std::vector<Value>& items) {
  if (items.size() > kMaxUnrolled) {
    return complain(node,
                    "the loop is written out " + std::to_string(items.size()) + " times: at most " +
                        std::to_string(kMaxUnrolled),
                    "use a loop over `range`");
  }
  const Node& target = file_.node(node.kids[0]);
  for (const Value& item : items) {
    WS_CHECK(count_steps(node, 1));
    scopes_.back().names[target.text] = item;
    block(node.body);
  }
  return {};
}

Status Lifter::while_loop(const Node& node) {
  // Names that the loop changes are variables in its condition too.
  std::set<std::string> names;
  assigned_names(node.body, names);
  loosen(names, node.line);
  WS_TRY(const Value condition, eval(node.kids[0]));
  if (!condition.is_number()) {
    return complain(node, "the condition of a loop is a number, got " + describe(condition));
  }
  emit("while " + condition.text + ":", node.line);
  return loop_body(node);
}

std::map<std::string, Value> Lifter::branch(const std::vector<NodeId>& body) {
  const Scope before = scopes_.back();
  writer_.indent();
  ++scopes_.back().depth;
  block(body);
  --scopes_.back().depth;
  writer_.outdent();
  std::map<std::string, Value> after = std::move(scopes_.back().names);
  scopes_.back().names = before.names;
  scopes_.back().lost = before.lost;
  return after;
}

Status Lifter::if_statement(const Node& node) {
  WS_TRY(const Value condition, eval(node.kids[0]));
  if (condition.is_constant() || condition.kind == ValueKind::kNone) {
    const bool holds = condition.is_constant() && condition.number() != 0;
    const std::vector<NodeId>& taken = holds ? node.body : node.other;
    if (!taken.empty()) {
      block(taken);
    }
    return {};
  }
  if (!condition.is_number()) {
    return complain(
        node, "the condition is " + describe(condition) + ": it must be one number",
        "use " + spelled(Api::kWhere) + "(condition, x, y) to choose element by element");
  }
  // Variables that a branch changes hold their value before, also where it is a constant.
  std::set<std::string> names;
  assigned_names(node.body, names);
  assigned_names(node.other, names);
  loosen(names, node.line);
  const std::size_t depth = scopes_.size();
  emit("if " + condition.text + ":", node.line);
  const std::map<std::string, Value> then = branch(node.body);
  const bool returned = scopes_.back().returned.has_value();
  std::map<std::string, Value> other = scopes_.back().names;
  if (!node.other.empty()) {
    emit("else:", node.line);
    other = branch(node.other);
  }
  if (depth > 1 && (returned || scopes_.back().returned)) {
    scopes_.back().returned.reset();
    return complain(node, "a function that a kernel calls returns at its end only",
                    "assign to a name in each branch, and return it after");
  }
  return merge(node, then, other);
}

void Lifter::rename(Value& value, const std::string& key) {
  if (value.has_text()) {
    value.text = variable_of(key);
    value.precedence = kTight;
  }
  value.integer.reset();
  value.real.reset();
  value.weak = false;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    rename(value.items[i], key + "_" + std::to_string(i));
  }
}

Status Lifter::merge(const Node& node, const std::map<std::string, Value>& then,
                     const std::map<std::string, Value>& other) {
  Scope& scope = scopes_.back();
  std::set<std::string> names;
  assigned_names(node.body, names);
  assigned_names(node.other, names);
  for (const std::string& name : names) {
    const auto a = then.find(name);
    const auto b = other.find(name);
    if (a == then.end() || b == other.end()) {
      scope.names.erase(name);
      scope.lost[name] = node.line;
      continue;
    }
    if (a->second.kind == ValueKind::kUnknown || b->second.kind == ValueKind::kUnknown) {
      scope.names[name] = unknown_value();
      continue;
    }
    if (!same_type(a->second, b->second)) {
      return complain(node,
                      "`" + name + "` is " + describe(a->second) + " in one branch and " +
                          describe(b->second) + " in the other",
                      "give it the same type and shape in both");
    }
    Value merged = a->second;
    rename(merged, name);
    scope.names[name] = std::move(merged);
  }
  return {};
}

}  // namespace ws::lift::tile
