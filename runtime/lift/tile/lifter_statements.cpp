// Statements.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxUnrolled = 256;

/// Whether a variable of the program can hold it.
bool has_text(const Value& value) {
  return value.is_numeric() || value.kind == ValueKind::kPointer;
}

}  // namespace

void Lifter::block(const std::vector<NodeId>& body) {
  const std::size_t before = writer_.count();
  for (const NodeId id : body) {
    if (scopes_.back().returned) {
      break;  // The statements after it are never reached.
    }
    const Node& node = file_.node(id);
    if (!statement(node)) {
      std::set<std::string> names;
      assigned_names({id}, names);
      for (const std::string& name : names) {
        scopes_.back().names[name] = unknown_value();
      }
    }
  }
  if (writer_.count() == before && scopes_.back().depth > 0) {
    emit("pass", 0);
  }
}

Status Lifter::statement(const Node& node) {
  switch (node.kind) {
    case NodeKind::kAssign:
      return assign(node);
    case NodeKind::kAugment: {
      WS_TRY(Value before, eval(node.kids[0]));
      WS_TRY(Value by, eval(node.kids[1]));
      WS_TRY(Value after, julia() ? julia_binary(node, node.text, std::move(before), std::move(by))
                                  : binary(node, node.text, std::move(before), std::move(by)));
      return assign_to(file_.node(node.kids[0]), std::move(after), node.line);
    }
    case NodeKind::kExpression:
      return expression_statement(node);
    case NodeKind::kFor:
      return for_loop(node);
    case NodeKind::kWhile:
      return while_loop(node);
    case NodeKind::kIf:
      return if_statement(node);
    case NodeKind::kReturn:
      return return_statement(node);
    case NodeKind::kPass:
      return {};
    case NodeKind::kBreak:
    case NodeKind::kContinue:
      emit(node.kind == NodeKind::kBreak ? "break" : "continue", node.line);
      return {};
    case NodeKind::kUnsupported:
      return complain(node, "a kernel cannot have " + node.text);
    default:
      return complain(node, "a kernel cannot have this statement");
  }
}

Status Lifter::expression_statement(const Node& node) {
  const Node& expression = file_.node(node.kids[0]);
  if (expression.kind == NodeKind::kText || expression.kind == NodeKind::kNone) {
    return {};  // A docstring, or `...`.
  }
  WS_TRY(const Value ignored, eval(node.kids[0]));
  return {};
}

Status Lifter::assign(const Node& node) {
  WS_TRY(const Value value, eval(node.kids[0]));
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    WS_CHECK(assign_to(file_.node(node.kids[i]), value, node.line));
  }
  return {};
}

Status Lifter::assign_to(const Node& target, Value value, int line) {
  if (target.kind == NodeKind::kTuple) {
    return assign_tuple(target, value, line);
  }
  if (target.kind != NodeKind::kName) {
    return complain(target, "a tile cannot be changed: only a name can be assigned",
                    triton() ? "tl.store(pointer, value) writes memory"
                             : "ct.store writes an array; ct.where makes a changed tile");
  }
  return assign_name(target, value, line);
}

Status Lifter::assign_tuple(const Node& target, const Value& value, int line) {
  if (value.kind != ValueKind::kTuple || value.items.size() != target.kids.size()) {
    return complain(
        target, std::to_string(target.kids.size()) + " names are assigned from " + describe(value));
  }
  // All are computed before the first is assigned: `a, b = b, a`.
  std::vector<Value> items;
  for (const Value& item : value.items) {
    items.push_back(named(item, "next", line));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    WS_CHECK(assign_to(file_.node(target.kids[i]), items[i], line));
  }
  return {};
}

Value Lifter::named(const Value& value, const std::string& wish, int line) {
  Value made = value;
  if (has_text(value) && !value.is_constant()) {
    made.text = variable(wish);
    made.precedence = kTight;
    emit(made.text + " = " + value.text, line);
  }
  return made;
}

std::string Lifter::variable_of(const std::string& key) {
  Scope& scope = scopes_.back();
  const auto known = scope.variables.find(key);
  if (known != scope.variables.end()) {
    return known->second;
  }
  return scope.variables[key] = variable(key);
}

Value Lifter::kept(const Value& value, const std::string& key, int line) {
  Value made = value;
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    made.items[i] = kept(made.items[i], key + "_" + std::to_string(i), line);
  }
  // A constant needs a variable only where another way leads to another value.
  if (has_text(value) && (!value.is_constant() || scopes_.back().depth > 0)) {
    const std::string name = variable_of(key);
    if (name != value.text) {
      emit(name + " = " + value.text, line);
    }
    if (!value.is_constant()) {
      made.text = name;
      made.precedence = kTight;
    }
  }
  return made;
}

Value Lifter::loosened(const Value& value, const std::string& key, int line) {
  Value made = value;
  if (has_text(value)) {
    made.text = variable_of(key);
    made.precedence = kTight;
    if (made.text != value.text) {
      emit(made.text + " = " + value.text, line);
    }
  }
  made.integer.reset();
  made.real.reset();
  made.weak = false;
  for (std::size_t i = 0; i < made.items.size(); ++i) {
    made.items[i] = loosened(made.items[i], key + "_" + std::to_string(i), line);
  }
  return made;
}

void Lifter::loosen(const std::set<std::string>& names, int line) {
  Scope& scope = scopes_.back();
  for (const std::string& name : names) {
    if (const auto known = scope.names.find(name); known != scope.names.end()) {
      known->second = loosened(known->second, name, line);
    }
  }
}

Status Lifter::assign_name(const Node& target, const Value& value, int line) {
  Scope& scope = scopes_.back();
  scope.lost.erase(target.text);
  scope.names[target.text] = kept(value, target.text, line);
  return {};
}

Status Lifter::return_statement(const Node& node) {
  if (scopes_.size() == 1) {
    if (!node.kids.empty() && file_.node(node.kids[0]).kind != NodeKind::kNone) {
      return complain(node, "a kernel returns nothing", "store its results");
    }
    emit("return", node.line);
    return {};
  }
  if (loops_ > 0) {
    return complain(node, "a function that a kernel calls returns at its end only",
                    "assign to a name in the loop, and return it after");
  }
  Value value;
  if (!node.kids.empty()) {
    WS_TRY(value, eval(node.kids[0]));
  }
  scopes_.back().returned = value;
  return {};
}

void Lifter::assigned_names(const std::vector<NodeId>& body, std::set<std::string>& names) const {
  const auto add = [&](auto&& self, const Node& target) -> void {
    if (target.kind == NodeKind::kName) {
      names.insert(target.text);
    } else if (target.kind == NodeKind::kTuple) {
      for (const NodeId kid : target.kids) {
        self(self, file_.node(kid));
      }
    }
  };
  for (const NodeId id : body) {
    const Node& node = file_.node(id);
    if (node.kind == NodeKind::kAssign) {
      for (std::size_t i = 1; i < node.kids.size(); ++i) {
        add(add, file_.node(node.kids[i]));
      }
    } else if (node.kind == NodeKind::kAugment || node.kind == NodeKind::kFor) {
      add(add, file_.node(node.kids[0]));
    }
    assigned_names(node.body, names);
    assigned_names(node.other, names);
  }
}

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
  if (has_text(value)) {
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
