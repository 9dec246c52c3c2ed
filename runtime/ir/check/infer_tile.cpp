// Results of operations on value tiles and numbers.
#include <algorithm>

#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

DType float_of(DType dtype) {
  return is_float(dtype) ? dtype : DType::kF32;
}

Result<Type> map(Op op, const Type& x) {
  if (x.is_tile()) {
    const bool keeps = op == Op::kAbs || op == Op::kRelu;
    return Type::tile(op == Op::kIsNan ? DType::kBool
                      : keeps          ? x.dtype
                                       : float_of(x.dtype),
                      x.shape);
  }
  if (op == Op::kAbs && x.kind == Kind::kInt) {
    const std::optional<std::int64_t> known = x.constant();
    return Type::integer(known && *known >= 0 ? x.value : Affine::unknown());
  }
  return Type::real();
}

Result<Type> zip(Op op, const Type& x, const Type& y) {
  WS_TRY(const Type type, infer_binary(Operator::kAdd, x, y));
  const bool whole = op == Op::kDivTrunc || op == Op::kRemTrunc;
  if (whole && (type.kind == Kind::kFloat || (type.is_tile() && is_float(type.dtype)))) {
    return bad("`x` and `y` must be integers, got " + describe(x) + " and " + describe(y));
  }
  return type;
}

Result<Type> select(std::span<const Type> args) {
  WS_TRY(const Type values, infer_binary(Operator::kAdd, args[1], args[2]));
  if (!args[0].is_tile() && !values.is_tile()) {
    return values;
  }
  WS_TRY(Shape shape, broadcast_shape(args[0].shape, values.shape));
  const DType dtype = values.is_tile()              ? values.dtype
                      : values.kind == Kind::kFloat ? DType::kF32
                                                    : DType::kI32;
  return Type::tile(dtype, std::move(shape));
}

Result<Type> random(std::span<const Type> args) {
  constexpr std::size_t kWords = 4;
  constexpr std::int64_t kMostRounds = 100;
  const std::int64_t word = args[5].constant().value_or(0);
  const std::int64_t rounds = args[6].constant().value_or(0);
  if (word < 0 || word > 3) {
    return bad("`word` is " + std::to_string(word) + ": it is 0 to 3");
  }
  if (rounds < 0 || rounds > kMostRounds) {
    return bad("`rounds` is " + std::to_string(rounds) + ": at most " +
               std::to_string(kMostRounds));
  }
  bool tile = false;
  Shape shape;
  for (const Type& part : args.subspan(1, kWords)) {
    if (part.kind == Kind::kFloat || (part.is_tile() && is_float(part.dtype))) {
      return bad("a counter must be of integers, got " + describe(part));
    }
    if (part.is_tile()) {
      WS_TRY(shape, tile ? broadcast_shape(shape, part.shape) : Result<Shape>(part.shape));
      tile = true;
    }
  }
  return tile ? Type::tile(DType::kU32, std::move(shape)) : Type::integer(Affine::unknown());
}

// max(a, b) of integers: the second argument is in the place of `dim`.
Result<Type> number_extreme(const OpInfo& info, std::span<const Type> args) {
  if (info.op != Op::kMax && info.op != Op::kMin) {
    return bad("`x` must be a tile, got " + describe(args[0]));
  }
  const bool real = args[0].kind == Kind::kFloat || args[1].kind == Kind::kFloat;
  return real ? Type::real() : Type::integer(Affine::unknown());
}

Result<Type> reduce(const OpInfo& info, std::span<const Type> args) {
  if (!args[0].is_tile()) {
    return number_extreme(info, args);
  }
  WS_TRY(const std::size_t dim, dim_of(args[1], args[0].shape.size()));
  Shape shape = args[0].shape;
  if (args[2].constant().value_or(0) != 0) {
    shape[dim] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  }
  const bool index = info.op == Op::kArgmax || info.op == Op::kArgmin;
  const DType dtype = index                                        ? DType::kI32
                      : info.op == Op::kAny || info.op == Op::kAll ? DType::kBool
                      : info.op == Op::kMean                       ? float_of(args[0].dtype)
                                                                   : args[0].dtype;
  return Type::tile(dtype, std::move(shape));
}

Result<Type> scan(std::span<const Type> args) {
  if (!args[0].is_tile()) {
    return bad("`x` must be a tile, got " + describe(args[0]));
  }
  WS_CHECK(dim_of(args[1], args[0].shape.size()).map([](std::size_t) {}));
  return Type::tile(args[0].dtype, args[0].shape);
}

Result<Type> reshape(std::span<const Type> args) {
  WS_TRY(Shape shape, shape_of(args[1]));
  if (!args[0].is_tile()) {
    return bad("`x` must be a tile, got " + describe(args[0]));
  }
  if (args[2].text != "row" && args[2].text != "column") {
    return bad("`order` is \"" + args[2].text + "\": it is \"row\" or \"column\"");
  }
  if (count_of(shape) != count_of(args[0].shape)) {
    return bad("shape " + to_text(args[0].shape) + " has " +
               std::to_string(count_of(args[0].shape).value_or(0)) + " elements, " +
               to_text(shape) + " has " + std::to_string(count_of(shape).value_or(0)));
  }
  return Type::tile(args[0].dtype, std::move(shape));
}

Result<Type> transpose(const Type& x) {
  if (!x.is_tile() || x.shape.size() < 2) {
    return bad("`x` must have two dimensions or more, got " + describe(x));
  }
  Type type = x;
  std::swap(type.shape[x.shape.size() - 1], type.shape[x.shape.size() - 2]);
  return type;
}

Result<Type> permute(std::span<const Type> args) {
  Shape dims;
  const std::vector<Type> single{args[1]};
  for (const Type& item : args[1].kind == Kind::kTuple ? args[1].items : single) {
    dims.push_back(item.constant().value_or(-1));
  }
  const Shape& from = args[0].shape;
  Shape shape(from.size());
  Shape seen(from.size());
  bool fits = args[0].is_tile() && dims.size() == from.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) {
    const auto dim = static_cast<std::size_t>(dims[i]);
    fits = dim < from.size() && ++seen[dim] == 1;
    shape[i] = fits ? from[dim] : 0;
  }
  if (!fits) {
    return bad("`dims` " + to_text(dims) + " must name each dimension once of " +
               describe(args[0]));
  }
  return Type::tile(args[0].dtype, std::move(shape));
}

Result<Type> cat(std::span<const Type> args) {
  const Type& x = args[0];
  const Type& y = args[1];
  if (!x.is_tile() || !y.is_tile() || x.dtype != y.dtype || x.shape.size() != y.shape.size()) {
    return bad("`x` and `y` must be tiles of one type and as many dimensions, got " + describe(x) +
               " and " + describe(y));
  }
  WS_TRY(const std::size_t dim, dim_of(args[2], x.shape.size()));
  Shape shape = x.shape;
  shape[dim] = y.shape[dim];
  if (shape != y.shape) {
    return bad("shapes " + to_text(x.shape) + " and " + to_text(y.shape) +
               " differ in more than dimension " + std::to_string(dim));
  }
  shape[dim] += x.shape[dim];
  WS_TRY(shape, check_size(std::move(shape)));
  return Type::tile(x.dtype, std::move(shape));
}

Result<Type> broadcast(std::span<const Type> args) {
  WS_TRY(Shape shape, shape_of(args[1]));
  if (!args[0].is_tile()) {
    return bad("`x` must be a tile, got " + describe(args[0]));
  }
  WS_TRY(const Shape both, broadcast_shape(args[0].shape, shape));
  if (both != shape) {
    return bad("shape " + to_text(args[0].shape) + " cannot be repeated to " + to_text(shape));
  }
  return Type::tile(args[0].dtype, std::move(shape));
}

Result<Type> make(const OpInfo& info, std::span<const Type> args) {
  WS_TRY(Shape shape, shape_of(args[0]));
  WS_TRY(const DType dtype, dtype_of(args.back()));
  if (info.op == Op::kFull && args[1].is_tile()) {
    return bad("`value` must be a number, got " + describe(args[1]));
  }
  return Type::tile(dtype, std::move(shape));
}

Result<Type> range(std::span<const Type> args) {
  Type type;
  type.kind = Kind::kRange;
  type.items.assign(args.begin(), args.end());
  if (args[1].kind == Kind::kNone) {
    type.items = {Type::integer(0), args[0], Type::integer(1)};
  } else if (args[2].kind == Kind::kNone) {
    type.items[2] = Type::integer(1);
  }
  if (type.items[2].constant() == 0) {
    return bad("`step` is 0");
  }
  return type;
}

Result<Type> length(const Type& x) {
  if (x.kind == Kind::kTuple) {
    return Type::integer(static_cast<std::int64_t>(x.items.size()));
  }
  if ((!x.is_tile() && x.kind != Kind::kBarrier) || x.shape.empty()) {
    return bad("`x` must be a tuple, a tile or a buffer, got " + describe(x));
  }
  return Type::integer(x.shape.front());
}

Result<Type> to_number(const OpInfo& info, const Type& x) {
  const bool infinity = x.text == "inf" || x.text == "-inf";
  if (!x.is_number() && !(info.group == OpGroup::kToFloat && infinity)) {
    return bad("`x` must be a number, got " + describe(x));
  }
  if (info.group == OpGroup::kToFloat) {
    return Type::real();
  }
  return Type::integer(x.kind == Kind::kFloat ? Affine::unknown() : x.value);
}

}  // namespace

Result<Type> infer_tile_op(const OpInfo& info, std::span<const Type> args) {
  switch (info.group) {
    case OpGroup::kMap:
      return map(info.op, args[0]);
    case OpGroup::kZip:
      return zip(info.op, args[0], args[1]);
    case OpGroup::kSelect:
      return select(args);
    case OpGroup::kRandom:
      return random(args);
    case OpGroup::kCast: {
      WS_TRY(const DType dtype, dtype_of(args[1]));
      return args[0].is_tile() ? Type::tile(dtype, args[0].shape)
             : is_float(dtype) ? Type::real()
                               : Type::integer(Affine::unknown());
    }
    case OpGroup::kReduce:
      return reduce(info, args);
    case OpGroup::kScan:
      return scan(args);
    case OpGroup::kReshape:
      return reshape(args);
    case OpGroup::kAsOperand:
      return args[0].is_tile() ? Result<Type>(Type::tile(args[0].dtype, args[0].shape))
                               : bad("`x` must be a tile, got " + describe(args[0]));
    case OpGroup::kTranspose:
      return transpose(args[0]);
    case OpGroup::kPermute:
      return permute(args);
    case OpGroup::kCat:
      return cat(args);
    case OpGroup::kBroadcast:
      return broadcast(args);
    case OpGroup::kMake:
      return make(info, args);
    case OpGroup::kArange: {
      WS_TRY(Shape shape, shape_of(args[0]));
      return Type::tile(DType::kI32, std::move(shape));
    }
    case OpGroup::kUndetermined:
      return Type::real();
    case OpGroup::kRange:
      return range(args);
    case OpGroup::kLength:
      return length(args[0]);
    case OpGroup::kToFloat:
    case OpGroup::kToInt:
      return to_number(info, args[0]);
    default:  // kScalar
      return args[1].constant() == 0 ? Result<Type>(bad("division by zero"))
                                     : Type::integer(Affine::unknown());
  }
}

}  // namespace ws::ir
