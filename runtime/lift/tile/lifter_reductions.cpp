// Reductions and scans.
#include <algorithm>
#include <functional>
#include <numeric>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

/// Reductions of bf16 are made in f32 by Triton, those of other short types in 32 bits, but for
/// sums of f16 and searches for an index.
DType reduced_in(Language language, Api api, DType dtype) {
  if (language != Language::kTriton || size_of(dtype) >= size_of(DType::kI32)) {
    return dtype;
  }
  const bool extreme = api == Api::kMax || api == Api::kMin;
  if (is_float(dtype)) {
    return extreme || dtype == DType::kBf16 ? DType::kF32 : dtype;
  }
  const bool is_unsigned = api == Api::kSum && ws::name_of(dtype).front() == 'u';
  return !extreme && api != Api::kSum ? dtype : is_unsigned ? DType::kU32 : DType::kI32;
}

bool finds_index(Api api) {
  return api == Api::kArgMax || api == Api::kArgMin;
}

}  // namespace

Result<Value> Lifter::reduce_along(const Node& node, const ApiInfo& info, const Value& x,
                                   std::vector<std::int64_t> dims, bool keep) {
  Value made = cast(x, reduced_in(file_.language, info.api, x.dtype));
  std::ranges::sort(dims, std::greater());
  const DType dtype = finds_index(info.api) ? DType::kI32 : made.dtype;
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
  const bool index_wanted = finds_index(info.api) || (both != nullptr && both->number() != 0);
  if (index_wanted && axis != nullptr && dims.size() != 1) {
    return complain(
        node, "`" + prefix() + info.spelling(file_.language).name + "` takes one axis, or none");
  }
  const std::optional<std::int64_t> dim = axis == nullptr ? std::nullopt : std::optional(dims[0]);
  if (finds_index(info.api)) {
    return find_index(node, info, x, dim, keep);
  }
  if (!index_wanted) {
    return reduce_along(node, info, x, dims, keep);
  }
  const Api index = info.api == Api::kMax ? Api::kArgMax : Api::kArgMin;
  WS_TRY(Value where, find_index(node, info_of(index), x, dim, keep));
  WS_TRY(Value most, reduce_along(node, info, x, dims, keep));
  return tuple_of({std::move(most), std::move(where)});
}

Result<Value> Lifter::find_index(const Node& node, const ApiInfo& info, const Value& x,
                                 std::optional<std::int64_t> dim, bool keep) {
  // Without an axis it is the element's number in the whole tile.
  WS_TRY(const Value flat, dim ? Result<Value>(x) : reshape(node, x, {count_of(x.shape)}));
  WS_TRY(Value found, reduce_along(node, info, flat, {dim.value_or(0)}, keep && dim));
  if (keep && !dim) {
    WS_TRY(found, reshape(node, found, Shape(x.shape.size(), 1)));
  }
  return julia() ? binary(node, "+", found, constant_of(std::int64_t{1})) : Result<Value>(found);
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

}  // namespace ws::lift::tile
