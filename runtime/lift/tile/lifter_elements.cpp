// Functions of elements, reductions, products.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

/// A function of a constant.
std::optional<double> folded(Api api, double x) {
  switch (api) {
    case Api::kExp:
      return std::exp(x);
    case Api::kExp2:
      return std::exp2(x);
    case Api::kLog:
      return std::log(x);
    case Api::kLog2:
      return std::log2(x);
    case Api::kSqrt:
      return std::sqrt(x);
    case Api::kAbs:
      return std::abs(x);
    case Api::kFloor:
      return std::floor(x);
    case Api::kCeil:
      return std::ceil(x);
    default:
      return std::nullopt;
  }
}

/// Reductions of bf16 are made in f32 by Triton, and sums of short integers in 32 bits.
DType reduced_in(Language language, Api api, DType dtype) {
  if (language != Language::kTriton) {
    return dtype;
  }
  const bool sums = api == Api::kSum;
  const bool is_short = dtype == DType::kBool || (!is_float(dtype) && size_of(dtype) < 4);
  return dtype == DType::kBf16 ? DType::kF32
         : sums && is_short    ? (ws::name_of(dtype).front() == 'u' ? DType::kU32 : DType::kI32)
                               : dtype;
}

}  // namespace

Result<Value> Lifter::map(const Node& node, const ApiInfo& info, const Value& x) {
  if (!x.is_numeric()) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).name +
                              "` takes a number or a tile, got " + describe(x));
  }
  if (x.is_constant()) {
    if (const std::optional<double> known = folded(info.api, x.number())) {
      return x.integer && info.api == Api::kAbs ? constant_of(std::abs(*x.integer))
                                                : constant_of(*known);
    }
  }
  const bool keeps = info.api == Api::kAbs;
  const DType dtype = info.api == Api::kIsNan      ? DType::kBool
                      : keeps || is_float(x.dtype) ? x.dtype
                                                   : DType::kF32;
  const std::string text = std::string(info.cuir) + "(" + x.text + ")";
  return x.is_tile() ? tile_of(dtype, x.shape, text) : number_of(dtype, text);
}

Result<Value> Lifter::zip(const Node& node, const ApiInfo& info, const Value& x, const Value& y) {
  if (!x.is_numeric() || !y.is_numeric()) {
    return complain(node, "`" + std::string(info.cuir) + "` takes numbers and tiles, got " +
                              describe(x) + " and " + describe(y));
  }
  if (x.integer && y.integer && info.api != Api::kPow) {
    return constant_of(info.api == Api::kMaximum ? std::max(*x.integer, *y.integer)
                                                 : std::min(*x.integer, *y.integer));
  }
  WS_TRY(const DType dtype, promote(node, x, y));
  Value a = x;
  Value b = y;
  WS_TRY(const Shape shape, align(node, {&a, &b}));
  a = a.is_tile() ? cast(a, dtype) : a;
  b = b.is_tile() ? cast(b, dtype) : b;
  const std::string text = std::string(info.cuir) + "(" + a.text + ", " + b.text + ")";
  return shape.empty() && !a.is_tile() && !b.is_tile() ? number_of(dtype, text)
                                                       : tile_of(dtype, shape, text);
}

Result<Value> Lifter::elements(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value& first = args.first();
  if (info.api == Api::kNegative) {
    return unary(node, "-", first);
  }
  const auto& parameters = info.spelling(file_.language).parameters;
  const Value* second = args.find(parameters[1]);
  const Value* third = args.find(parameters[2]);
  if (second == nullptr || third == nullptr) {
    return complain(
        node, "`" + prefix() + info.spelling(file_.language).text() + "` needs three arguments");
  }
  if (info.api == Api::kWhere) {
    return select(node, first, *second, *third);
  }
  if (info.api == Api::kClamp) {
    WS_TRY(const Value low, zip(node, info_of(Api::kMaximum), first, *second));
    return zip(node, info_of(Api::kMinimum), low, *third);
  }
  WS_TRY(const Value product, binary(node, "*", first, *second));
  return binary(node, "+", product, *third);
}

Result<Value> Lifter::reduce_along(const Node& node, const ApiInfo& info, const Value& x,
                                   std::vector<std::int64_t> dims, bool keep) {
  Value made = cast(x, reduced_in(file_.language, info.api, x.dtype));
  std::ranges::sort(dims, std::greater());
  const DType dtype =
      info.api == Api::kArgMax || info.api == Api::kArgMin ? DType::kI32 : made.dtype;
  for (const std::int64_t dim : dims) {
    const std::string name(info.cuir);
    const auto at_dim = made.shape.begin() + dim;
    if (!keep && made.shape.size() == 1) {
      return number_of(dtype, name + "(" + made.text + ", 0, keepdim=True)[0]");
    }
    Shape shape = made.shape;
    if (keep) {
      shape[static_cast<std::size_t>(at_dim - made.shape.begin())] = 1;
    } else {
      shape.erase(shape.begin() + dim);
    }
    made = tile_of(
        dtype, std::move(shape),
        name + "(" + made.text + ", " + std::to_string(dim) + (keep ? ", keepdim=True)" : ")"));
  }
  static_cast<void>(node);
  return made;
}

Result<Value> Lifter::reduce(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value& x = args.first();
  if (x.is_number()) {
    return x;
  }
  if (!x.is_tile()) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).name +
                              "` takes a tile, got " + describe(x));
  }
  const Value* axis = args.find(julia() ? "dims" : "axis");
  std::vector<std::int64_t> dims;
  if (axis == nullptr) {
    dims.resize(x.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
  } else {
    const std::vector<Value> single{*axis};
    for (const Value& item : axis->kind == ValueKind::kTuple ? axis->items : single) {
      WS_TRY(const std::int64_t dim, axis_of(node, item, x.shape.size()));
      dims.push_back(dim);
    }
  }
  const Value* kept = args.find(triton() ? "keep_dims" : "keepdims");
  const bool keep = julia() ? axis != nullptr : kept != nullptr && kept->number() != 0;
  const Value* both = args.find("return_indices");
  WS_TRY(Value made, reduce_along(node, info, x, dims, keep));
  if (both != nullptr && both->number() != 0) {
    const ApiInfo& index = info_of(info.api == Api::kMax ? Api::kArgMax : Api::kArgMin);
    WS_TRY(Value where, reduce_along(node, index, x, dims, keep));
    return tuple_of({std::move(made), std::move(where)});
  }
  return made;
}

Result<Value> Lifter::scan(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value& x = args.first();
  const Value* reverse = args.find(julia() ? "rev" : "reverse");
  if (!x.is_tile() || (reverse != nullptr && reverse->number() != 0)) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).name +
                              "` takes a tile, forwards, got " + describe(x));
  }
  const Value* axis = args.find(julia() ? "dims" : "axis");
  WS_TRY(const std::int64_t dim,
         axis == nullptr ? Result<std::int64_t>(0) : axis_of(node, *axis, x.shape.size()));
  const Value from = cast(x, reduced_in(file_.language, Api::kSum, x.dtype));
  return tile_of(from.dtype, from.shape,
                 std::string(info.cuir) + "(" + from.text + ", " + std::to_string(dim) + ")");
}

Result<Value> Lifter::convert(const Node& node, const Value& x, const Value& dtype) {
  WS_TRY(const DType to, dtype_of(node, &dtype, DType::kF32));
  if (!x.is_numeric()) {
    return complain(node, "only numbers and tiles change their type, got " + describe(x));
  }
  return cast(x, to);
}

Result<Value> Lifter::product(const Node& node, const ApiInfo& info, const Arguments& args) {
  const auto& parameters = info.spelling(file_.language).parameters;
  const Value* second = args.find(parameters[1]);
  Value a = args.first();
  if (second == nullptr || !a.is_tile() || !second->is_tile() || a.shape.size() != 2 ||
      second->shape.size() != 2) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).name +
                              "` takes two tiles of two dimensions, got " + describe(a) + " and " +
                              (second == nullptr ? "nothing" : describe(*second)));
  }
  Value b = *second;
  if (a.shape[1] != b.shape[0]) {
    return complain(node, "shapes " + to_text(a.shape) + " and " + to_text(b.shape) +
                              " cannot be multiplied: " + std::to_string(a.shape[1]) +
                              " columns against " + std::to_string(b.shape[0]) + " rows");
  }
  if (a.dtype != b.dtype) {
    return complain(node,
                    "the operands are of " + std::string(ws::name_of(a.dtype)) + " and " +
                        std::string(ws::name_of(b.dtype)),
                    "convert one of them first");
  }
  // Triton multiplies f32 in tf32 unless it is told otherwise.
  const Value* precision = args.find("input_precision");
  const Value* allowed = args.find("allow_tf32");
  const bool exact = (precision != nullptr && precision->text != "tf32") ||
                     (allowed != nullptr && allowed->number() == 0);
  if (triton() && a.dtype == DType::kF32 && !exact) {
    a = cast(a, DType::kTf32);
    b = cast(b, DType::kTf32);
  }
  const DType sum = a.dtype == DType::kF64 ? DType::kF64
                    : is_float(a.dtype)    ? DType::kF32
                                           : DType::kI32;
  const Value* acc = args.find("acc");
  const Shape shape{a.shape[0], b.shape[1]};
  std::string text = "mma(" + a.text + ", " + b.text;
  DType dtype = sum;
  if (acc != nullptr) {
    if (!acc->is_tile() || acc->shape != shape) {
      return complain(
          node, "the accumulator is " + describe(*acc) + ", the product is " + to_text(shape));
    }
    dtype = acc->dtype;
    text += ", acc=" + acc->text;
  }
  Value made = tile_of(dtype, shape, text + ")");
  WS_TRY(const DType wanted, dtype_of(node, args.find("out_dtype"), dtype));
  return cast(made, wanted);
}

}  // namespace ws::lift::tile
