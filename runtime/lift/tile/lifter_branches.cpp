// Branches, and the names after them.
#include <utility>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

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

bool Lifter::leaves_early(const Node& node, const std::vector<NodeId>& body) const {
  const Scope& scope = scopes_.back();
  if (&body != scope.tail || node.kind != NodeKind::kIf || !node.other.empty() ||
      node.body.empty()) {
    return false;
  }
  const Node& last = file_.node(node.body.back());
  return last.kind == NodeKind::kReturn &&
         (last.kids.empty() || file_.node(last.kids[0]).kind == NodeKind::kNone);
}

Status Lifter::leave_early(const Node& node, const std::vector<NodeId>& rest) {
  WS_TRY(const Value condition, eval(node.kids[0]));
  scopes_.back().tail = &rest;
  if (condition.is_constant() || condition.kind == ValueKind::kNone) {
    block(condition.is_constant() && condition.number() != 0 ? node.body : rest);
    return {};
  }
  if (!condition.is_number()) {
    return complain(node, "the condition is " + describe(condition) + ": it must be one number");
  }
  std::set<std::string> names;
  assigned_names(node.body, names);
  assigned_names(rest, names);
  loosen(names, node.line);
  emit("if " + condition.text + ":", node.line);
  branch({node.body.begin(), node.body.end() - 1});
  emit("else:", node.line);
  branch(rest);
  const std::optional<Value> returned = std::exchange(scopes_.back().returned, std::nullopt);
  if (returned && returned->kind != ValueKind::kNone) {
    return complain(node, "a function that a kernel calls returns at its end only",
                    "assign to a name in each branch, and return it after");
  }
  return {};
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
    rename(value.items[i], part_of(key, i));
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
