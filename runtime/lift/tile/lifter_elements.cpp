// Functions of elements, and products.
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
  return x.is_tile() ? tile_of(dtype, x.shape, text) : rounded(number_of(dtype, text));
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
  Value a = x;
  Value b = y;
  if (triton()) {
    // A number as it is written is an f32 or i32 here.
    a.weak = false;
    b.weak = false;
  }
  WS_TRY(DType dtype, promote(node, a, b));
  dtype = triton() && dtype == DType::kBf16 ? DType::kF32 : dtype;
  WS_TRY(const Shape shape, align(node, {&a, &b}));
  a = operand(a, dtype);
  b = operand(b, dtype);
  const std::string text = std::string(info.cuir) + "(" + a.text + ", " + b.text + ")";
  return shape.empty() && !a.is_tile() && !b.is_tile() ? rounded(number_of(dtype, text))
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

Result<Value> Lifter::convert(const Node& node, const Value& x, const Value& dtype) {
  WS_TRY(const DType to, dtype_of(node, &dtype, DType::kF32));
  if (!x.is_numeric()) {
    return complain(node, "only numbers and tiles change their type, got " + describe(x));
  }
  return cast(x, to);
}

// Integers of one size have the same bits, whatever their sign.
Result<Value> Lifter::convert_bits(const Node& node, const Value& x, const Value& dtype) {
  WS_TRY(const DType to, dtype_of(node, &dtype, DType::kF32));
  const bool whole = x.is_numeric() && !is_float(x.dtype) && !is_float(to);
  if (x.is_numeric() && x.dtype != to && (!whole || size_of(x.dtype) != size_of(to))) {
    return complain(node,
                    "the bits of " + describe(x) + " are not taken as " +
                        std::string(ws::name_of(to)) + " here",
                    "leave `bitcast` out to convert the values");
  }
  return x.is_number() && !x.is_constant()
             ? number_of(to, "to(" + x.text + ", \"" + std::string(ws::name_of(to)) + "\")")
             : convert(node, x, dtype);
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
