// The shapes of tiles.
#include <algorithm>
#include <numeric>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

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
  WS_CHECK(check_tile(node, shape));
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

}  // namespace ws::lift::tile
