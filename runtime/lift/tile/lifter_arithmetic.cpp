// Operators.
#include <algorithm>
#include <array>

#include "runtime/lift/tile/folding.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

struct OperatorRow {
  std::string_view text;
  int precedence;  ///< As in runtime/ir/syntax/operators.def.
  bool compares = false;
  bool bits = false;
};

constexpr std::array<OperatorRow, 19> kOperators = {{{"==", 4, true},
                                                     {"!=", 4, true},
                                                     {"<", 4, true},
                                                     {"<=", 4, true},
                                                     {">", 4, true},
                                                     {">=", 4, true},
                                                     {"|", 5, false, true},
                                                     {"^", 6, false, true},
                                                     {"&", 7, false, true},
                                                     {"<<", 8, false, true},
                                                     {">>", 8, false, true},
                                                     {"+", 9},
                                                     {"-", 9},
                                                     {"*", 10},
                                                     {"/", 10},
                                                     {"//", 10},
                                                     {"%", 10},
                                                     {"div", 10},
                                                     {"rem", 10}}};

const OperatorRow* find_operator(std::string_view text) {
  const auto* const row =
      std::ranges::find_if(kOperators, [&](const OperatorRow& each) { return each.text == text; });
  return row == kOperators.end() ? nullptr : row;
}

}  // namespace

Result<Value> Lifter::unary(const Node& node, const std::string& op, const Value& x) {
  if (op == "not") {
    if (x.is_constant() || x.kind == ValueKind::kNone) {
      return truth_of(!(x.is_constant() && x.number() != 0));
    }
    if (!x.is_number()) {
      return complain(node, "`not` takes one number, got " + describe(x), "use `~` or `== 0`");
    }
    return number_of(DType::kBool, "not " + at(x, 3), 3);
  }
  if (!x.is_numeric()) {
    return complain(node, "`" + op + "` takes a number or a tile, got " + describe(x));
  }
  if (x.is_constant() && op == "-") {
    return x.integer ? fold(node, "-", constant_of(std::int64_t{0}), x) : constant_of(-*x.real);
  }
  if (op == "+") {
    return x;
  }
  if (op == "~" && is_float(x.dtype)) {
    return complain(node, "`~` takes integers and truth values, got " + describe(x));
  }
  if (op == "~" && x.integer) {
    return x.dtype == DType::kBool ? truth_of(*x.integer == 0) : constant_of(~*x.integer);
  }
  Value made = x;
  made.weak = false;
  made.text =
      op == "~" && x.is_number() && x.dtype == DType::kBool ? "not " + at(x, 3) : op + at(x, 11);
  made.precedence = made.text.starts_with("not") ? 3 : 11;
  return made;
}

Result<Value> Lifter::binary(const Node& node, const std::string& op, Value a, Value b) {
  const bool equality = op == "==" || op == "!=" || op == "is" || op == "is not";
  const auto plain = [](const Value& value) {
    return value.kind == ValueKind::kType || value.kind == ValueKind::kText ||
           value.kind == ValueKind::kNone || value.kind == ValueKind::kName;
  };
  if (equality && (plain(a) || plain(b))) {
    const bool equal = a.kind == b.kind && same_type(a, b);
    return truth_of(equal == (op == "==" || op == "is"));
  }
  if (a.kind == ValueKind::kPointer || b.kind == ValueKind::kPointer) {
    return pointer_sum(node, op, a, b);
  }
  if (op == "+" && a.kind == ValueKind::kTuple && b.kind == ValueKind::kTuple) {
    a.items.insert(a.items.end(), b.items.begin(), b.items.end());
    return checked_tuple(node, std::move(a.items));
  }
  if (!a.is_numeric() || !b.is_numeric()) {
    WS_CHECK(check_sent(node, a));
    WS_CHECK(check_sent(node, b));
    return complain(
        node, "`" + op + "` takes numbers and tiles, got " + describe(a) + " and " + describe(b));
  }
  if (a.is_constant() && b.is_constant()) {
    return fold(node, op, a, b);
  }
  return numeric(node, op, std::move(a), std::move(b));
}

Result<Value> Lifter::pointer_sum(const Node& node, const std::string& op, const Value& a,
                                  const Value& b) {
  const bool left = a.kind == ValueKind::kPointer;
  const Value& pointer = left ? a : b;
  const Value& by = left ? b : a;
  if (!by.is_numeric() || is_float(by.dtype) || (op != "+" && !(op == "-" && left))) {
    return complain(node, "a pointer takes `+` and `-` of integers, got `" + op + "` of " +
                              describe(a) + " and " + describe(b));
  }
  Value offset = pointer.shape.empty()
                     ? number_of(DType::kI32, pointer.text, pointer.precedence)
                     : tile_of(DType::kI32, pointer.shape, pointer.text, pointer.precedence);
  offset.integer = pointer.integer;
  offset.weak = pointer.integer.has_value();
  Value sum;
  if (pointer.integer == 0 && op == "+") {
    sum = by.is_tile() && size_of(by.dtype) < size_of(DType::kI32) ? cast(by, DType::kI32) : by;
  } else {
    WS_TRY(sum, binary(node, op, left ? offset : by, left ? by : offset));
  }
  Value made = pointer;
  made.shape = sum.shape;
  made.text = sum.text;
  made.precedence = sum.precedence;
  made.integer = sum.integer;
  return made;
}

Result<Value> Lifter::fold(const Node& node, const std::string& op, const Value& a,
                           const Value& b) {
  const OperatorRow* row = find_operator(op);
  if (row != nullptr && row->compares) {
    return truth_of(compare(op, a.number(), b.number()));
  }
  const bool whole = a.integer && b.integer;
  if (whole && op != "/") {
    if (const auto result = fold_integer(op, *a.integer, *b.integer)) {
      const bool truth =
          a.dtype == DType::kBool && b.dtype == DType::kBool && row != nullptr && row->bits;
      return truth ? truth_of(*result != 0) : constant_of(*result);
    }
  } else if (const auto result = fold_real(op, a.number(), b.number())) {
    return constant_of(*result);
  }
  return complain(node, "`" + a.text + " " + op + " " + b.text + "` has no value");
}

Result<Value> Lifter::numeric(const Node& node, const std::string& op, Value a, Value b) {
  if (op == "@") {
    return complain(node, "`@` is not taken here", "use " + spelled(Api::kDot) + "(a, b)");
  }
  if (op == "**") {
    return zip(node, info_of(Api::kPow), a, b);
  }
  const OperatorRow* row = find_operator(op);
  if (row == nullptr) {
    return complain(node, "`" + op + "` is not taken on " + describe(a) + " and " + describe(b));
  }
  const bool tiles = a.is_tile() || b.is_tile();
  const bool divides = op == "/" || op == "//" || op == "%";
  WS_TRY(DType dtype, promote(node, a, b, divides));
  if (row->bits && is_float(dtype)) {
    return complain(node, "`" + op + "` takes integers and truth values, got " + describe(a) +
                              " and " + describe(b));
  }
  if (op == "/" && !is_float(dtype)) {
    dtype = DType::kF32;
  }
  if (dtype == DType::kBool && !row->bits && !row->compares) {
    dtype = DType::kI32;
  }
  WS_TRY(const Shape shape, align(node, {&a, &b}));
  a = operand(a, dtype);
  b = operand(b, dtype);
  // In Triton integers are divided as in C; in cuTile as in Python, unless Julia says `div`.
  const bool whole = !is_float(dtype);
  const bool truncates =
      whole && (op == "div" || op == "rem" || (triton() && (op == "//" || op == "%")));
  if (!whole && (op == "div" || op == "rem" || (triton() && (op == "//" || op == "%")))) {
    return complain(node, "`" + op + "` takes integers, got " + describe(a) + " and " + describe(b),
                    "divide with `/` and round with " + spelled(Api::kFloor));
  }
  std::string text;
  int precedence = kTight;
  if (truncates) {
    text = std::string(op == "//" || op == "div" ? "div_trunc(" : "rem_trunc(") + a.text + ", " +
           b.text + ")";
  } else {
    precedence = row->precedence;
    // Comparisons would chain.
    text = at(a, precedence + (row->compares ? 1 : 0)) + " " + op + " " + at(b, precedence + 1);
  }
  const DType made = row->compares ? DType::kBool : dtype;
  return tiles ? tile_of(made, shape, std::move(text), precedence)
               : rounded(number_of(made, std::move(text), precedence));
}

}  // namespace ws::lift::tile
