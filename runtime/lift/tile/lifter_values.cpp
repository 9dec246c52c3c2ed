// Operations on values: new tiles, shapes, functions of elements, reductions, products.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 22U;  // The most that a tile of CuIR has.

std::string quoted(DType dtype) {
  return "\"" + std::string(ws::name_of(dtype)) + "\"";
}

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
    if (x.is_tile() || by->is_tile()) {
      WS_TRY(const Value minus, unary(node, "-", x));
      WS_TRY(const Value down, binary(node, "//", minus, *by));
      return unary(node, "-", down);
    }
    if (x.integer && by->integer && *by->integer > 0) {
      return constant_of(-((-*x.integer) / *by->integer -
                           ((-*x.integer) % *by->integer != 0 && *x.integer > 0 ? 1 : 0)));
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
    const std::string index = std::to_string(at);
    return number_of(DType::kI32, "cdiv(" + array.text + ".shape[" + index + "], " +
                                      std::to_string(sizes[static_cast<std::size_t>(at)]) + ")");
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

Result<Value> Lifter::reshape(const Node& node, const Value& x, Shape shape) {
  const std::int64_t all = count_of(x.shape);
  const auto open = std::ranges::find(shape, -1);
  if (open != shape.end()) {
    *open = 1;
    *open = all / std::max<std::int64_t>(count_of(shape), 1);
  }
  if (count_of(shape) != all) {
    return complain(node, "shape " + to_text(x.shape) + " has " + std::to_string(all) +
                              " elements, " + to_text(shape) + " has " +
                              std::to_string(count_of(shape)));
  }
  if (x.is_number()) {
    return shape.empty() ? Result<Value>(x) : broadcast(node, x, shape);
  }
  if (shape.empty()) {
    std::string zeros;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      zeros += i == 0 ? "0" : ", 0";
    }
    return number_of(x.dtype, at(x, kTight) + "[" + zeros + "]");
  }
  return tile_of(
      x.dtype, shape,
      "reshape(" + x.text + ", " + to_text(shape) + ", \"" + (julia() ? "column" : "row") + "\")");
}

Result<Value> Lifter::permute(const Node& node, const Value& x, const Shape& dims) {
  Shape shape;
  Shape sorted = dims;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int64_t>(i) || sorted.size() != x.shape.size()) {
      return complain(node,
                      to_text(dims) + " does not name each dimension of " + describe(x) + " once");
    }
  }
  for (const std::int64_t dim : dims) {
    shape.push_back(x.shape[static_cast<std::size_t>(dim)]);
  }
  if (dims == Shape{1, 0}) {
    return tile_of(x.dtype, shape, "transpose(" + x.text + ")");
  }
  return tile_of(x.dtype, shape, "permute(" + x.text + ", " + to_text(dims) + ")");
}

Result<Value> Lifter::cat(const Node& node, const Arguments& args) {
  const Value& tiles = args.first();
  const Value* axis = args.find(julia() ? "dims" : "axis");
  if (tiles.items.size() != 2 || axis == nullptr || !tiles.items[0].is_tile() ||
      !tiles.items[1].is_tile() || tiles.items[0].shape.size() != tiles.items[1].shape.size()) {
    return complain(
        node, "`" + spelled(Api::kCat) + "` takes two tiles of as many dimensions, and an axis");
  }
  const Value& a = tiles.items[0];
  const Value& b = tiles.items[1];
  WS_TRY(const std::int64_t dim, axis_of(node, *axis, a.shape.size()));
  WS_TRY(const DType dtype, promote(node, a, b));
  Shape shape = a.shape;
  shape[static_cast<std::size_t>(dim)] += b.shape[static_cast<std::size_t>(dim)];
  return tile_of(
      dtype, shape,
      "cat(" + cast(a, dtype).text + ", " + cast(b, dtype).text + ", " + std::to_string(dim) + ")");
}

// The index counts tiles of the wanted shape.
Result<Value> Lifter::extract(const Node& node, const Value& x, const Arguments& args) {
  const Value* index = args.find("index");
  const Value* sizes = args.find("shape");
  if (index == nullptr || sizes == nullptr || !x.is_tile()) {
    return complain(node, "`" + spelled(Api::kExtract) + "` takes a tile, an index and a shape");
  }
  WS_TRY(const Shape shape, shape_of(node, *sizes));
  WS_TRY(const std::vector<Value> places, indices_of(node, *index, x.shape.size()));
  if (shape.size() != x.shape.size()) {
    return complain(node, "shape " + to_text(shape) + " has not the dimensions of " + describe(x));
  }
  std::string parts;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Value& place = places[d];
    const bool beyond =
        place.integer && (*place.integer < 0 || (*place.integer + 1) * shape[d] > x.shape[d]);
    if (!place.is_number() || shape[d] < 1 || shape[d] > x.shape[d] || beyond) {
      return complain(node, "part " + to_text(shape) + " number " + place.text + " along axis " +
                                std::to_string(d) + " is not inside " + describe(x));
    }
    const std::string size = std::to_string(shape[d]);
    const std::string from =
        place.integer ? std::to_string(*place.integer * shape[d]) : at(place, 10) + " * " + size;
    const std::string to = place.integer ? std::to_string((*place.integer + 1) * shape[d])
                                         : "(" + at(place, 9) + " + 1) * " + size;
    parts += (d == 0 ? "" : ", ") + from + ":" + to;
  }
  return tile_of(x.dtype, shape, at(x, kTight) + "[" + parts + "]");
}

Result<Value> Lifter::shaped(const Node& node, const ApiInfo& info, const Arguments& args) {
  const Value& x = args.first();
  const std::size_t rank = x.shape.size();
  if (info.api == Api::kCat) {
    return cat(node, args);
  }
  if (!x.is_numeric()) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).name +
                              "` takes a tile, got " + describe(x));
  }
  const auto list = [&](const char* name) -> Result<Shape> {
    const Value* value = args.find(name);
    return value == nullptr ? Result<Shape>(Shape()) : shape_of(node, *value);
  };
  switch (info.api) {
    case Api::kReshape:
    case Api::kView: {
      WS_TRY(Shape shape, list("shape"));
      return reshape(node, x, std::move(shape));
    }
    case Api::kRavel:
      return reshape(node, x, {count_of(x.shape)});
    case Api::kBroadcastTo: {
      WS_TRY(const Shape shape, list("shape"));
      return broadcast(node, x, shape);
    }
    case Api::kExpandDims: {
      const Value* axis = args.find("axis");
      if (axis == nullptr) {
        return complain(node, "`" + spelled(Api::kExpandDims) + "` needs `axis`");
      }
      WS_TRY(const std::int64_t dim, axis_of(node, *axis, rank + 1));
      Shape shape = x.shape;
      shape.insert(shape.begin() + dim, 1);
      return reshape(node, x, std::move(shape));
    }
    case Api::kTranspose: {
      Shape dims(rank);
      std::iota(dims.begin(), dims.end(), 0);
      WS_TRY(const Shape given, list("dims"));
      if (!given.empty()) {
        dims = given;
      } else if (rank >= 2) {
        const Value* a = args.find("axis0");
        const Value* b = args.find("axis1");
        WS_TRY(const std::int64_t first,
               a == nullptr ? Result<std::int64_t>(0) : axis_of(node, *a, rank));
        WS_TRY(const std::int64_t second,
               b == nullptr ? Result<std::int64_t>(1) : axis_of(node, *b, rank));
        std::swap(dims[static_cast<std::size_t>(first)], dims[static_cast<std::size_t>(second)]);
      }
      return permute(node, x, dims);
    }
    case Api::kPermute: {
      WS_TRY(Shape dims, list(triton() ? "dims" : "axes"));
      for (std::int64_t& dim : dims) {
        dim -= julia() ? 1 : 0;
      }
      return permute(node, x, dims);
    }
    case Api::kDropDims: {
      const Value* gone = args.find("dims");
      WS_TRY(const std::int64_t dim,
             gone == nullptr ? Result<std::int64_t>(complain(node, "`dropdims` needs `dims`"))
                             : axis_of(node, *gone, rank));
      Shape shape = x.shape;
      shape.erase(shape.begin() + dim);
      return x.shape[static_cast<std::size_t>(dim)] == 1
                 ? reshape(node, x, std::move(shape))
                 : Result<Value>(complain(node, "dimension " + std::to_string(dim + 1) + " of " +
                                                    describe(x) + " is not 1"));
    }
    default:
      return extract(node, x, args);
  }
}

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
