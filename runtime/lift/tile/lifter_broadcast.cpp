// Shapes of operands brought together.
#include <algorithm>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

Result<Shape> Lifter::align(const Node& node, std::vector<Value*> values) {
  std::size_t rank = 0;
  for (const Value* value : values) {
    rank = std::max(rank, value->shape.size());
  }
  Shape shape(rank, 1);
  for (Value* value : values) {
    if (!value->is_tile()) {
      continue;
    }
    const std::size_t missing = rank - value->shape.size();
    if (missing > 0) {
      // Python's arrays are aligned at the right, Julia's at the left.
      std::string text;
      Shape wider(missing, 1);
      for (std::size_t i = 0; i < rank; ++i) {
        const bool added = julia() ? i >= value->shape.size() : i < missing;
        text += std::string(i == 0 ? "" : ", ") + (added ? "None" : ":");
      }
      wider.insert(julia() ? wider.begin() : wider.end(), value->shape.begin(), value->shape.end());
      value->text = at(*value, kTight) + "[" + text + "]";
      value->precedence = kTight;
      value->shape = std::move(wider);
    }
  }
  for (const Value* value : values) {
    for (std::size_t i = 0; value->is_tile() && i < rank; ++i) {
      const std::int64_t size = value->shape[i];
      if (size != 1 && shape[i] != 1 && size != shape[i]) {
        std::string shapes;
        for (const Value* each : values) {
          if (each->is_tile()) {
            shapes += (shapes.empty() ? "" : " and ") + to_text(each->shape);
          }
        }
        return complain(node,
                        "shapes " + shapes + " do not fit: dimension " + std::to_string(i) +
                            " is " + std::to_string(shape[i]) + " and " + std::to_string(size),
                        triton() ? "x[:, None] and x[None, :] say on which side to repeat" : "");
      }
      shape[i] = size == 1 ? shape[i] : size;
    }
  }
  WS_CHECK(check_tile(node, shape));
  return shape;
}

Result<Value> Lifter::select(const Node& node, Value condition, Value x, Value y) {
  if (!condition.is_numeric() || !x.is_numeric() || !y.is_numeric()) {
    return complain(node, "a choice takes numbers and tiles, got " + describe(condition) + ", " +
                              describe(x) + " and " + describe(y));
  }
  WS_TRY(const DType dtype, promote(node, x, y));
  WS_TRY(const Shape shape, align(node, {&condition, &x, &y}));
  x = operand(x, dtype);
  y = operand(y, dtype);
  const std::string text = "where(" + condition.text + ", " + x.text + ", " + y.text + ")";
  if (shape.empty()) {
    return number_of(dtype, text);
  }
  Value made = tile_of(dtype, shape, text);
  if (!x.is_tile() && !y.is_tile()) {
    // CuIR would take f32 or i32 for two numbers.
    const DType own = is_float(x.dtype) || is_float(y.dtype) ? DType::kF32 : DType::kI32;
    made.dtype = own;
    made = cast(made, dtype);
  }
  return made;
}

Result<Value> Lifter::broadcast(const Node& node, const Value& value, const Shape& shape) {
  WS_CHECK(check_tile(node, shape));
  if (value.is_number()) {
    return tile_of(value.dtype, shape,
                   "full(" + to_text(shape) + ", " + value.text + ", \"" +
                       std::string(ws::name_of(value.dtype)) + "\")");
  }
  if (value.shape == shape) {
    return value;
  }
  Value aligned = value;
  Value target = tile_of(value.dtype, shape, "");
  WS_TRY(const Shape both, align(node, {&aligned, &target}));
  if (both != shape) {
    return complain(node,
                    "shape " + to_text(value.shape) + " cannot be repeated to " + to_text(shape));
  }
  return tile_of(value.dtype, shape, "broadcast(" + aligned.text + ", " + to_text(shape) + ")");
}

}  // namespace ws::lift::tile
