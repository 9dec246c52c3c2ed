// New tiles, sizes and the grid.
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 22U;  // The most that a tile of CuIR has.

std::string quoted(DType dtype) {
  return "\"" + std::string(ws::name_of(dtype)) + "\"";
}

}  // namespace

Status Lifter::check_tile(const Node& node, const Shape& shape) {
  for (const std::int64_t size : shape) {
    if (size < 1 || (size & (size - 1)) != 0) {
      return complain(node,
                      "a tile of shape " + to_text(shape) + ": its sizes must be powers of two",
                      "round up, and mask or pad what is beyond");
    }
  }
  if (count_of(shape) > kMaxElements) {
    return complain(node,
                    "a tile of shape " + to_text(shape) + " has more than " +
                        std::to_string(kMaxElements) + " elements",
                    "loop over smaller tiles");
  }
  return {};
}

Result<Shape> Lifter::shape_of(const Node& node, const Value& value) {
  Shape shape;
  const std::vector<Value> single{value};
  for (const Value& item : value.kind == ValueKind::kTuple ? value.items : single) {
    if (!item.integer) {
      return complain(node, "a size of a tile must be a constant, got " + describe(item),
                      triton()  ? "declare the parameter as `tl.constexpr`"
                      : julia() ? "declare the parameter as `::Int` and pass ct.Constant(64)"
                                : "declare the parameter as `ct.Constant[int]`");
    }
    shape.push_back(*item.integer);
  }
  return shape;
}

Result<DType> Lifter::dtype_of(const Node& node, const Value* value, DType otherwise) {
  if (value == nullptr) {
    return otherwise;
  }
  if (value->kind != ValueKind::kType) {
    return complain(node,
                    "a type is wanted, such as " + prefix() + "float32, got " + describe(*value));
  }
  return value->dtype;
}

Result<std::int64_t> Lifter::axis_of(const Node& node, const Value& value, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (!value.integer) {
    return complain(node, "an axis must be a constant, got " + describe(value));
  }
  const std::int64_t axis = julia()              ? *value.integer - 1
                            : *value.integer < 0 ? *value.integer + size
                                                 : *value.integer;
  if (axis < 0 || axis >= size) {
    return complain(node, "axis " + std::to_string(*value.integer) + " of " + std::to_string(rank) +
                              " dimensions");
  }
  return axis;
}

Result<Value> Lifter::grid(const Node& node, const ApiInfo& info, const Arguments& args) {
  if (info.api == Api::kCdiv) {
    const Value* by = args.find(info.spelling(file_.language).parameters[1]);
    const Value& x = args.first();
    if (by == nullptr || !x.is_numeric() || !by->is_numeric() || is_float(x.dtype) ||
        is_float(by->dtype)) {
      return complain(node, "`" + spelled(Api::kCdiv) + "` takes two integers");
    }
    if (x.is_tile() || by->is_tile() || (x.integer && by->integer)) {
      WS_TRY(const Value most, binary(node, "-", *by, constant_of(std::int64_t{1})));
      WS_TRY(const Value up, binary(node, "+", x, most));
      return binary(node, "//", up, *by);
    }
    return number_of(DType::kI32, "cdiv(" + x.text + ", " + by->text + ")");
  }
  if (info.api == Api::kNumTiles) {
    const Value& array = args.first();
    const Value* shape = args.find("shape");
    const Value* axis = args.find("axis");
    if (array.kind != ValueKind::kArray || shape == nullptr || axis == nullptr) {
      return complain(node,
                      "`" + spelled(Api::kNumTiles) + "` takes an array, an axis and a shape");
    }
    WS_TRY(const Shape sizes, shape_of(node, *shape));
    WS_TRY(const std::int64_t at, axis_of(node, *axis, array.shape.size()));
    if (sizes.size() != array.shape.size()) {
      return complain(node, "shape " + to_text(sizes) + " has " + std::to_string(sizes.size()) +
                                " dimensions, the array has " + std::to_string(array.shape.size()));
    }
    const auto dim = static_cast<std::size_t>(at);
    return number_of(DType::kI32, "cdiv(" + extent_of(array, dim).text + ", " +
                                      std::to_string(sizes[dim]) + ")");
  }
  WS_TRY(const std::int64_t axis, axis_of(node, args.first(), 3));
  constexpr std::string_view kAxes = "xyz";
  const std::string text = std::string(info.cuir) + "." + kAxes[static_cast<std::size_t>(axis)];
  return julia() && info.api == Api::kProgramId ? number_of(DType::kI32, text + " + 1", 9)
                                                : number_of(DType::kI32, text);
}

Result<Value> Lifter::arange(const Node& node, const Arguments& args) {
  std::int64_t first = julia() ? 1 : 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
  const auto constant = [&](const char* name, std::int64_t& into) -> Status {
    if (const Value* value = args.find(name)) {
      const bool listed = value->kind == ValueKind::kTuple && value->items.size() == 1 &&
                          value->items.front().integer;
      if (!value->integer && !listed) {
        return complain(node,
                        "`" + spelled(Api::kArange) + "` takes constants, got " + describe(*value) +
                            " as `" + name + "`",
                        triton() ? "declare the parameter as `tl.constexpr`" : "");
      }
      into = *(value->kind == ValueKind::kTuple && value->items.size() == 1 ? value->items.front()
                                                                            : *value)
                  .integer;
    }
    return {};
  };
  if (triton()) {
    std::int64_t last = 0;
    WS_CHECK(constant("start", first));
    WS_CHECK(constant("end", last));
    count = last - first;
  } else {
    WS_CHECK(constant("size", count));
    WS_CHECK(constant("start", first));
    WS_CHECK(constant("step", step));
  }
  WS_CHECK(check_tile(node, {count}));
  WS_TRY(const DType dtype, dtype_of(node, args.find("dtype"), DType::kI32));
  Value made = tile_of(DType::kI32, {count}, "arange(" + std::to_string(count) + ")");
  if (step != 1) {
    made = tile_of(DType::kI32, {count}, made.text + " * " + std::to_string(step), 10);
  }
  if (first != 0) {
    made = tile_of(DType::kI32, {count}, made.text + " + " + std::to_string(first), 9);
  }
  return cast(made, dtype);
}

Result<Value> Lifter::make(const Node& node, const ApiInfo& info, const Arguments& args) {
  if (info.api == Api::kArange) {
    return arange(node, args);
  }
  if (info.api == Api::kZerosLike) {
    const Value& like = args.first();
    return like.is_tile()
               ? tile_of(like.dtype, like.shape,
                         "zeros(" + to_text(like.shape) + ", " + quoted(like.dtype) + ")")
               : Result<Value>(cast(constant_of(0.0), like.dtype));
  }
  const Value* sizes = args.find("shape");
  const Value* value =
      args.find(info.api == Api::kFull && !triton() && !julia() ? "fill_value" : "value");
  if (sizes == nullptr) {
    return complain(node,
                    "`" + prefix() + info.spelling(file_.language).text() + "` needs `shape`");
  }
  WS_TRY(const Shape shape, shape_of(node, *sizes));
  WS_CHECK(check_tile(node, shape));
  const DType otherwise = value != nullptr ? value->dtype : DType::kF32;
  WS_TRY(const DType dtype, dtype_of(node, args.find("dtype"), otherwise));
  if (info.api != Api::kFull) {
    return tile_of(dtype, shape,
                   std::string(info.cuir) + "(" + to_text(shape) + ", " + quoted(dtype) + ")");
  }
  if (value == nullptr || !value->is_number()) {
    return complain(node, "`" + spelled(Api::kFull) + "` takes one number as its value");
  }
  if (shape.empty()) {
    return cast(*value, dtype);
  }
  return tile_of(dtype, shape,
                 "full(" + to_text(shape) + ", " + value->text + ", " + quoted(dtype) + ")");
}

}  // namespace ws::lift::tile
