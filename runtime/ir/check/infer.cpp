#include "runtime/ir/check/infer.h"

#include <algorithm>
#include <array>

#include "runtime/base/nearest.h"

namespace ws::ir {
namespace {

// Floats by how much they hold; f16 and bf16, and the two f8, hold neither each other.
int float_rank(DType type) {
  constexpr std::array<std::pair<DType, int>, 7> ranks = {{{DType::kF8e4m3, 1},
                                                           {DType::kF8e5m2, 1},
                                                           {DType::kF16, 2},
                                                           {DType::kBf16, 2},
                                                           {DType::kTf32, 3},
                                                           {DType::kF32, 4},
                                                           {DType::kF64, 5}}};
  const auto* const row = std::find_if(ranks.begin(), ranks.end(),
                                       [&](const auto& entry) { return entry.first == type; });
  return row == ranks.end() ? 0 : row->second;
}

// The narrowest type that holds both: f16 and bf16 give f32; an integer and a float the float.
DType promote(DType a, DType b) {
  if (a == b) {
    return a;
  }
  if (is_float(a) != is_float(b)) {
    return is_float(a) ? a : b;
  }
  if (is_float(a)) {
    return float_rank(a) == float_rank(b) ? (float_rank(a) == 1 ? DType::kF16 : DType::kF32)
                                          : (float_rank(a) > float_rank(b) ? a : b);
  }
  return size_of(a) >= size_of(b) ? a : b;
}

// A number takes the tile's type, but for a float among integers.
DType element_type(const Type& a, const Type& b) {
  if (a.is_tile() && b.is_tile()) {
    return promote(a.dtype, b.dtype);
  }
  const Type& tile = a.is_tile() ? a : b;
  const Type& number = a.is_tile() ? b : a;
  return number.kind == Kind::kFloat && !is_float(tile.dtype) ? DType::kF32
         : tile.dtype == DType::kBool                         ? DType::kI32
                                                              : tile.dtype;
}

bool is_comparison(Operator op) {
  return info_of(op).kind == OperatorKind::kCompare;
}

bool is_bitwise(Operator op) {
  return op == Operator::kBitAnd || op == Operator::kBitOr || op == Operator::kBitXor ||
         op == Operator::kShiftLeft || op == Operator::kShiftRight;
}

Affine integer_result(Operator op, const Affine& a, const Affine& b) {
  if (op == Operator::kAdd || op == Operator::kSubtract) {
    return a.plus(b, op == Operator::kAdd ? 1 : -1);
  }
  if (op == Operator::kMultiply && (a.constant() || b.constant())) {
    return a.constant() ? b.times(*a.constant()) : a.times(*b.constant());
  }
  return Affine::unknown();
}

/// The result of a comparison of `a` and `b`, where their difference is known.
Affine comparison_result(Operator op, const Affine& a, const Affine& b) {
  const std::optional<std::int64_t> more = a.plus(b, -1).constant();
  if (!more) {
    return Affine::unknown();
  }
  switch (op) {
    case Operator::kEqual:
      return Affine(*more == 0 ? 1 : 0);
    case Operator::kNotEqual:
      return Affine(*more != 0 ? 1 : 0);
    case Operator::kLess:
      return Affine(*more < 0 ? 1 : 0);
    case Operator::kLessEqual:
      return Affine(*more <= 0 ? 1 : 0);
    case Operator::kGreater:
      return Affine(*more > 0 ? 1 : 0);
    case Operator::kGreaterEqual:
      return Affine(*more >= 0 ? 1 : 0);
    default:
      return Affine::unknown();
  }
}

Type scalar_binary(Operator op, const Type& a, const Type& b) {
  const bool integers = a.kind == Kind::kInt && b.kind == Kind::kInt;
  if (is_comparison(op)) {
    return Type::boolean(integers ? comparison_result(op, a.value, b.value) : Affine::unknown());
  }
  if (a.kind == Kind::kFloat || b.kind == Kind::kFloat || op == Operator::kDivide) {
    return Type::real();
  }
  return Type::integer(integer_result(op, a.value, b.value));
}

}  // namespace

tl::unexpected<Error> bad(std::string message, std::string hint) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}

Result<Shape> check_size(Shape shape) {
  const std::optional<std::int64_t> count = count_of(shape);
  if (!count || *count > kMaxTileElements) {
    return bad("shape " + to_text(shape) + " has " +
                   (count ? std::to_string(*count) : "more than 2^62") + " elements: at most " +
                   std::to_string(kMaxTileElements) + " are allowed",
               "work on it tile by tile");
  }
  return shape;
}

Result<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) {
    return check_size(a.empty() ? b : a);
  }
  if (a.size() != b.size()) {
    return bad(
        "shapes " + to_text(a) + " and " + to_text(b) + " differ in their number of dimensions",
        "say on which side to repeat: x[:, None] or x[None, :]");
  }
  Shape shape = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) {
      return bad("shapes " + to_text(a) + " and " + to_text(b) + " do not fit: dimension " +
                 std::to_string(i) + " is " + std::to_string(a[i]) + " and " +
                 std::to_string(b[i]));
    }
    shape[i] = a[i] == 1 ? b[i] : a[i];
  }
  return check_size(std::move(shape));
}

Result<Type> infer_binary(Operator op, const Type& a, const Type& b) {
  const std::string word = "`" + std::string(info_of(op).text) + "`";
  if (op == Operator::kMatmul) {
    return infer_op(Op::kMma, std::vector<Type>{a, b, Type()});
  }
  const bool texts = a.kind == Kind::kString && b.kind == Kind::kString;
  if (is_comparison(op) && (texts || a.kind == Kind::kNone || b.kind == Kind::kNone)) {
    return Type::boolean(texts ? Affine((a.text == b.text) == (op == Operator::kEqual) ? 1 : 0)
                               : Affine::unknown());
  }
  if ((!a.is_number() && !a.is_tile()) || (!b.is_number() && !b.is_tile())) {
    return bad(word + " takes numbers and tiles, got " + describe(a) + " and " + describe(b));
  }
  if (is_bitwise(op)) {
    for (const Type* side : {&a, &b}) {
      if (side->kind == Kind::kFloat || (side->is_tile() && is_float(side->dtype))) {
        return bad(word + " takes integers and truth values, got " + describe(*side));
      }
    }
  }
  if (a.is_number() && b.is_number()) {
    return scalar_binary(op, a, b);
  }
  WS_TRY(Shape shape, broadcast_shape(a.shape, b.shape));
  DType dtype = is_comparison(op) ? DType::kBool : element_type(a, b);
  if (op == Operator::kDivide && !is_float(dtype)) {
    dtype = DType::kF32;
  }
  const bool truths = a.is_tile() && b.is_tile() && a.dtype == DType::kBool &&
                      b.dtype == DType::kBool && is_bitwise(op);
  return Type::tile(truths ? DType::kBool : dtype, std::move(shape));
}

Result<Type> infer_unary(Operator op, const Type& a) {
  if (op == Operator::kNot) {
    const std::optional<std::int64_t> known = a.constant();
    if (!a.is_number() && a.kind != Kind::kNone) {
      return bad("`not` takes a number, got " + describe(a),
                 a.is_tile() ? "`~` negates a tile of truth values" : "");
    }
    return Type::boolean(known ? Affine(*known == 0 ? 1 : 0) : Affine::unknown());
  }
  if (!a.is_number() && !a.is_tile()) {
    return bad("`" + std::string(info_of(op).text) + "` takes a number or a tile, got " +
               describe(a));
  }
  if (op == Operator::kInvert && (a.kind == Kind::kFloat || (a.is_tile() && is_float(a.dtype)))) {
    return bad("`~` takes integers and truth values, got " + describe(a));
  }
  if (a.is_tile()) {
    return Type::tile(a.dtype, a.shape);
  }
  if (a.kind == Kind::kFloat) {
    return a;
  }
  const Affine flipped = a.value.times(op == Operator::kPlus ? 1 : -1);
  return Type::integer(op == Operator::kInvert ? flipped.plus(Affine(-1)) : flipped);
}

Result<Shape> shape_of(const Type& type) {
  const std::vector<Type> items = type.kind == Kind::kTuple ? type.items : std::vector<Type>{type};
  Shape shape;
  for (const Type& item : items) {
    const std::optional<std::int64_t> size = item.constant();
    if (!size) {
      return bad("a size is " +
                 std::string(item.kind == Kind::kInt ? "not constant" : describe(item).c_str()) +
                 ": shapes are known before a kernel runs");
    }
    if (*size <= 0) {
      return bad("a size of " + std::to_string(*size) + ": sizes are 1 or more");
    }
    shape.push_back(*size);
  }
  return check_size(std::move(shape));
}

Result<DType> dtype_of(const Type& type) {
  if (type.kind == Kind::kDtype) {
    return type.dtype;
  }
  const std::optional<DType> dtype = parse_dtype(type.text);
  if (type.kind == Kind::kString && dtype) {
    return *dtype;
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(DType::kBool); ++i) {
    known.emplace_back(name_of(static_cast<DType>(i)));
  }
  return bad("`" + type.text + "` is not an element type", suggest(type.text, known));
}

Result<std::size_t> dim_of(const Type& type, std::size_t rank) {
  const std::optional<std::int64_t> dim = type.constant();
  const auto size = static_cast<std::int64_t>(rank);
  if (!dim) {
    return bad("`dim` is not constant");
  }
  if (*dim < -size || *dim >= size) {
    return bad("`dim` is " + std::to_string(*dim) + ": the tile has dimensions 0 to " +
               std::to_string(size - 1));
  }
  return static_cast<std::size_t>(*dim < 0 ? *dim + size : *dim);
}

Result<Type> infer_op(Op op, std::span<const Type> args) {
  const OpInfo& info = info_of(op);
  return info.group <= OpGroup::kArange || info.group >= OpGroup::kRange
             ? infer_tile_op(info, args)
             : infer_memory_op(info, args);
}

}  // namespace ws::ir
