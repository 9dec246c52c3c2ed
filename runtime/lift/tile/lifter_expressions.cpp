// Expressions that are not calls.
#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxParts = 1024;

}  // namespace

Result<Value> Lifter::eval(NodeId id) {
  const Node& node = file_.node(id);
  WS_CHECK(count_steps(node, 1));
  WS_CHECK(go_deeper(node));
  Result<Value> value = eval_kind(node);
  --nested_;
  return value;
}

Result<std::vector<Value>> Lifter::eval_all(std::span<const NodeId> ids) {
  std::vector<Value> values;
  for (const NodeId id : ids) {
    const std::size_t before = writer_.count();
    WS_TRY(Value value, eval(id));
    for (Value& earlier : values) {
      read_early(earlier, before, file_.node(id).line);
    }
    values.push_back(std::move(value));
  }
  return values;
}

void Lifter::read_early(Value& value, std::size_t count, int line) {
  for (Value& item : value.items) {
    read_early(item, count, line);
  }
  if (value.has_text() && value.text.find("self.") != std::string::npos &&
      writer_.writes_since(count)) {
    const std::string name = variable("before");
    writer_.insert(count, name + " = " + value.text, line_in_source(line));
    value.text = name;
    value.precedence = kTight;
  }
}

Result<Value> Lifter::eval_kind(const Node& node) {
  switch (node.kind) {
    case NodeKind::kName:
      return name(node);
    case NodeKind::kInteger:
      return constant_of(node.integer);
    case NodeKind::kFloat:
      return constant_of(node.text == "inf" ? std::numeric_limits<double>::infinity()
                                            : node.number);
    case NodeKind::kText:
      return text_of(node.text);
    case NodeKind::kBool:
      return truth_of(node.integer != 0);
    case NodeKind::kNone:
      return Value();
    case NodeKind::kSlice:
      return julia() ? julia_range(node) : Result<Value>(complain(node, "a slice is no value"));
    case NodeKind::kAttribute:
      return attribute(node);
    case NodeKind::kIndex:
      return index(node);
    case NodeKind::kCall:
      return call(node);
    case NodeKind::kUnary: {
      WS_TRY(const Value x, eval(node.kids[0]));
      return unary(node, node.text, x);
    }
    case NodeKind::kBinary:
    case NodeKind::kCompare: {
      WS_TRY(std::vector<Value> both, eval_all(node.kids));
      return julia() ? julia_binary(node, node.text, std::move(both[0]), std::move(both[1]))
                     : binary(node, node.text, std::move(both[0]), std::move(both[1]));
    }
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return logic(node);
    case NodeKind::kConditional:
      return conditional(node);
    case NodeKind::kTuple:
      return tuple(node);
    case NodeKind::kUnsupported:
      return complain(node, "a kernel cannot have " + node.text);
    default:
      return complain(node, "a kernel cannot have this expression");
  }
}

Result<Value> Lifter::tuple(const Node& node) {
  WS_TRY(std::vector<Value> items, eval_all(node.kids));
  return checked_tuple(node, std::move(items));
}

Result<Value> Lifter::checked_tuple(const Node& node, std::vector<Value> items) {
  Value made = tuple_of(std::move(items));
  if (parts_of(made) > kMaxParts) {
    return complain(node, "a tuple has more than " + std::to_string(kMaxParts) + " parts");
  }
  return made;
}

Result<Value> Lifter::logic(const Node& node) {
  const bool any = node.kind == NodeKind::kOr;
  const std::string word = any ? " or " : " and ";
  const int precedence = any ? 1 : 2;
  Value all = truth_of(!any);
  for (const NodeId kid : node.kids) {
    const std::size_t before = writer_.count();
    WS_TRY(const Value part, eval(kid));
    if (kid != node.kids.front() && writer_.writes_since(before)) {
      return complain(file_.node(kid),
                      "a function that writes to memory is called after `" +
                          std::string(any ? "or" : "and") + "`",
                      "call it in a statement before, or in a branch");
    }
    if (part.kind == ValueKind::kNone || part.is_constant()) {
      const bool holds = part.is_constant() && part.number() != 0;
      if (holds == any) {
        return truth_of(any);
      }
      continue;
    }
    if (!part.is_number()) {
      return complain(
          file_.node(kid),
          "`" + std::string(any ? "or" : "and") + "` takes numbers, got " + describe(part),
          any ? "use `|`" : "use `&`");
    }
    if (all.is_constant()) {
      all = part;
    } else {
      all = number_of(DType::kBool, at(all, precedence) + word + at(part, precedence + 1),
                      precedence);
    }
  }
  return all;
}

Result<Value> Lifter::conditional(const Node& node) {
  WS_TRY(const Value condition, eval(node.kids[1]));
  if (condition.is_constant() || condition.kind == ValueKind::kNone) {
    return eval(node.kids[condition.is_constant() && condition.number() != 0 ? 0 : 2]);
  }
  const std::size_t before = writer_.count();
  WS_TRY(Value x, eval(node.kids[0]));
  WS_TRY(Value y, eval(node.kids[2]));
  if (!condition.is_number() || !same_type(x, y) || !(x.is_numeric())) {
    return complain(node,
                    "`x if condition else y` takes one number as condition and two values "
                    "of one type, got " +
                        describe(condition) + ", " + describe(x) + " and " + describe(y),
                    "use " + spelled(Api::kWhere) + "(condition, x, y)");
  }
  Value made = x.is_tile() ? tile_of(x.dtype, x.shape, "") : number_of(x.dtype, "");
  if (writer_.count() > before) {
    // A side takes statements: they belong to its branch.
    writer_.drop(before);
    made.text = variable("chosen");
    emit("if " + condition.text + ":", node.line);
    WS_CHECK(chosen(node.kids[0], made.text));
    emit("else:", node.line);
    WS_CHECK(chosen(node.kids[2], made.text));
    return made;
  }
  made.text = at(x, 1) + " if " + at(condition, 1) + " else " + at(y, 1);
  made.precedence = 0;
  return made;
}

Status Lifter::chosen(NodeId id, const std::string& variable) {
  writer_.indent();
  WS_TRY(const Value value, eval(id));
  emit(variable + " = " + value.text, file_.node(id).line);
  writer_.outdent();
  return {};
}

Result<Value> Lifter::index(const Node& node) {
  if (julia()) {
    return julia_index(node);
  }
  WS_TRY(Value base, eval(node.kids[0]));
  if (base.kind == ValueKind::kTuple) {
    WS_TRY(const Value at, eval(node.kids[1]));
    const auto size = static_cast<std::int64_t>(base.items.size());
    const std::int64_t place = at.integer.value_or(size) + (at.integer.value_or(0) < 0 ? size : 0);
    if (!at.integer || place < 0 || place >= size || node.kids.size() != 2) {
      return complain(node, "an index of " + describe(base) + " must be a constant below " +
                                std::to_string(size));
    }
    return base.items[static_cast<std::size_t>(place)];
  }
  if (base.kind == ValueKind::kName) {
    return base;  // ct.Constant[int], tl.tensor[...]: an annotation.
  }
  if (base.is_tile() || base.kind == ValueKind::kPointer) {
    return index_tile(node, base);
  }
  return complain(node, describe(base) + " has no parts",
                  base.kind == ValueKind::kArray
                      ? "load a tile of it: " + spelled(Api::kLoad) + "(array, index, shape)"
                      : "");
}

// x[:, None] adds dimensions; a tile has no other parts.
Result<Value> Lifter::index_tile(const Node& node, const Value& base) {
  Value made = base;
  made.shape.clear();
  std::size_t dim = 0;
  std::string text;
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    const Node& part = file_.node(node.kids[i]);
    text += i == 1 ? "" : ", ";
    const bool whole =
        part.kind == NodeKind::kSlice && std::ranges::all_of(part.kids, [&](NodeId kid) {
          return file_.node(kid).kind == NodeKind::kNone;
        });
    if (part.kind == NodeKind::kNone) {
      made.shape.push_back(1);
      text += "None";
    } else if (whole && dim < base.shape.size()) {
      made.shape.push_back(base.shape[dim++]);
      text += ":";
    } else {
      return complain(part, "a tile has no single elements or slices here: `:` and `None` only",
                      "reduce it, or load a smaller tile");
    }
  }
  while (dim < base.shape.size()) {
    made.shape.push_back(base.shape[dim++]);
    text += ", :";
  }
  made.text = at(base, kTight) + "[" + text + "]";
  made.precedence = kTight;
  made.integer.reset();
  return made;
}

}  // namespace ws::lift::tile
