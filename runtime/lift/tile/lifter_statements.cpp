// Statements that are no loops and branches.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

void Lifter::block(const std::vector<NodeId>& body) {
  if (!body.empty() && !go_deeper(file_.node(body.front()))) {
    return;
  }
  const std::size_t before = writer_.count();
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (scopes_.back().returned || stopped()) {
      break;  // The statements after it are never reached.
    }
    const NodeId id = body[i];
    const Node& node = file_.node(id);
    if (leaves_early(node, body)) {
      static_cast<void>(
          leave_early(node, {body.begin() + static_cast<std::ptrdiff_t>(i) + 1, body.end()}));
      break;
    }
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
  nested_ -= body.empty() ? 0 : 1;
}

Status Lifter::statement(const Node& node) {
  WS_CHECK(count_steps(node, 1));
  switch (node.kind) {
    case NodeKind::kAssign:
      return assign(node);
    case NodeKind::kAugment: {
      WS_TRY(Value before, eval(node.kids[0]));
      WS_TRY(Value by, eval(node.kids[1]));
      WS_TRY(Value after, julia() ? julia_binary(node, node.text, std::move(before), std::move(by))
                                  : binary(node, node.text, std::move(before), std::move(by)));
      return assign_to(file_.node(node.kids[0]), after, node.line);
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
      return leave(node);
    case NodeKind::kUnsupported:
      return complain(node, "a kernel cannot have " + node.text);
    case NodeKind::kUnread:
      return complain(node, "Julia: " + node.text);
    default:
      return complain(node, "a kernel cannot have this statement");
  }
}

Status Lifter::leave(const Node& node) {
  const std::string word = node.kind == NodeKind::kBreak ? "break" : "continue";
  if (triton()) {
    return complain(node, "Triton has no `" + word + "`",
                    node.kind == NodeKind::kBreak ? "say in the condition of a `while` when it ends"
                                                  : "put what is skipped into an `if`");
  }
  if (scopes_.back().written_out) {
    return complain(node, "`" + word + "` in a loop over constants, which is written out",
                    julia() ? "use a loop over first:last" : "use a loop over `range`");
  }
  emit(word, node.line);
  return {};
}

Status Lifter::expression_statement(const Node& node) {
  const Node& expression = file_.node(node.kids[0]);
  if (expression.kind == NodeKind::kText || expression.kind == NodeKind::kNone) {
    return {};  // A docstring, or `...`.
  }
  WS_TRY(const Value value, eval(node.kids[0]));
  if (scopes_.back().results.contains(&node)) {
    scopes_.back().returned = value;
  }
  return {};
}

Status Lifter::assign(const Node& node) {
  WS_TRY(const Value value, eval(node.kids[0]));
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    WS_CHECK(assign_to(file_.node(node.kids[i]), value, node.line));
  }
  return {};
}

Status Lifter::assign_to(const Node& target, const Value& value, int line) {
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
  items.reserve(value.items.size());
  for (const Value& item : value.items) {
    items.push_back(named(item, "next", line));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    WS_CHECK(assign_to(file_.node(target.kids[i]), items[i], line));
  }
  return {};
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
    if (scopes_.back().depth == 0 && loops_ == 0) {
      scopes_.back().returned = Value();  // Nothing after it is reached.
    }
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

}  // namespace ws::lift::tile
