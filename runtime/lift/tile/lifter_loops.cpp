// Loops.
#include <utility>

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

}  // namespace ws::lift::tile
