// The memory of cuTile: arrays with shapes, read and written by tiles.
#include <algorithm>
#include <numeric>

#include "runtime/lift/tile/lifter.h"
#include "runtime/lift/tile/padding.h"

namespace ws::lift::tile {
namespace {

/// "(i, j)", "(i,)".
std::string index_text(const std::vector<Value>& items) {
  std::string list;
  for (const Value& item : items) {
    list += (list.empty() ? "" : ", ") + item.text;
  }
  return "(" + list + (items.size() == 1 ? ",)" : ")");
}

}  // namespace

Result<Value> Lifter::array_argument(const Node& node, const Arguments& args) {
  const Value& array = args.first();
  if (array.kind != ValueKind::kArray) {
    return complain(node, "an array is wanted, got " + describe(array),
                    "pass the kernel's parameter");
  }
  return array;
}

Result<std::vector<Value>> Lifter::indices_of(const Node& node, const Value& value,
                                              std::size_t rank) {
  std::vector<Value> items = value.kind == ValueKind::kTuple ? value.items : std::vector{value};
  // Julia's arrays may be named with fewer trailing indices of one.
  while (julia() && items.size() > rank && items.back().integer == 1) {
    items.pop_back();
  }
  if (items.size() != rank) {
    return complain(node, "the index has " + std::to_string(items.size()) +
                              " numbers for an array of " + std::to_string(rank) + " dimensions");
  }
  for (Value& item : items) {
    if (!item.is_numeric() || is_float(item.dtype)) {
      return complain(node, "an index is an integer, got " + describe(item));
    }
    if (julia()) {
      WS_TRY(item, binary(node, "-", item, constant_of(std::int64_t{1})));
    }
  }
  return items;
}

Result<Shape> Lifter::order_of(const Node& node, const Value* order, std::size_t rank) {
  Shape dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  if (order == nullptr || order->text == "C") {
    return dims;
  }
  if (order->text == "F") {
    std::ranges::reverse(dims);
    return dims;
  }
  WS_TRY(Shape given, shape_of(node, *order));
  Shape sorted = given;
  for (std::int64_t& dim : given) {
    dim -= julia() ? 1 : 0;
  }
  sorted = given;
  std::ranges::sort(sorted);
  if (sorted != dims) {
    return complain(node,
                    "`order` must name each of the " + std::to_string(rank) + " dimensions once");
  }
  return given;
}

Result<Value> Lifter::array_load(const Node& node, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const std::size_t rank = array.shape.size();
  const Value* index = args.find("index");
  const Value* sizes = args.find("shape");
  if (index == nullptr || sizes == nullptr) {
    return complain(node, "`" + spelled(Api::kLoad) + "` needs `index` and `shape`");
  }
  WS_TRY(Shape shape, shape_of(node, *sizes));
  if (shape.empty()) {
    WS_TRY(const std::vector<Value> at_element, indices_of(node, *index, rank));
    if (array.block != nullptr) {
      WS_TRY(const BlockParts parts, places(node, array, *index, false));
      return masked_gather(node, parts.pointer, nullptr, nullptr, "0");
    }
    std::string text;
    for (const Value& item : at_element) {
      text += (text.empty() ? "" : ", ") + item.text;
    }
    return number_of(array.dtype, array.text + "[" + text + "]");
  }
  WS_CHECK(check_tile(node, shape));
  const Shape wanted = shape;
  shape.resize(std::max(julia() ? rank : shape.size(), rank == shape.size() ? rank : shape.size()),
               1);
  if (shape.size() != rank) {
    return complain(node, "shape " + to_text(shape) + " has " + std::to_string(shape.size()) +
                              " dimensions, the array has " + std::to_string(rank));
  }
  WS_TRY(const std::vector<Value> place, indices_of(node, *index, rank));
  WS_TRY(const Shape order, order_of(node, args.find("order"), rank));
  const std::optional<std::string> pad = padding_word(args.find("padding_mode"));
  if (!pad) {
    return complain(node, "unknown padding mode `" + args.find("padding_mode")->text + "`",
                    julia() ? "Undetermined, Zero, NegZero, Nan, PosInf or NegInf"
                            : "UNDETERMINED, ZERO, NEG_ZERO, NAN, POS_INF or NEG_INF");
  }
  // Index and shape come in the order of `order`: dimension k of them is order[k] of the array.
  std::vector<Value> items(rank);
  Shape own(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    items[static_cast<std::size_t>(order[k])] = place[k];
    own[static_cast<std::size_t>(order[k])] = shape[k];
  }
  Value tile;
  if (array.block != nullptr) {
    WS_TRY(const BlockParts parts, tile_parts(node, array, items, own));
    WS_TRY(tile, masked_gather(node, parts.pointer, parts.inside ? &*parts.inside : nullptr,
                               nullptr, padding_value(*pad)));
  } else {
    tile = tile_of(array.dtype, own,
                   "load(" + array.text + ", " + index_text(items) + ", " + to_text(own) +
                       ", pad=\"" + *pad + "\")");
  }
  if (!std::ranges::is_sorted(order)) {
    WS_TRY(tile, permute(node, tile, order));
  }
  return tile.shape == wanted ? Result<Value>(tile) : reshape(node, tile, wanted);
}

Result<Value> Lifter::array_store(const Node& node, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const std::size_t rank = array.shape.size();
  const Value* index = args.find("index");
  const Value* given = args.find("tile");
  if (index == nullptr || given == nullptr || !given->is_numeric()) {
    return complain(node, "`" + spelled(Api::kStore) + "` needs `index` and `tile`");
  }
  Value tile = *given;
  if (tile.is_number()) {
    WS_TRY(tile, broadcast(node, tile, Shape(rank, 1)));
  }
  if (julia() && tile.shape.size() != rank) {
    // Trailing dimensions of size one come and go.
    Shape shape = tile.shape;
    while (shape.size() > rank && shape.back() == 1) {
      shape.pop_back();
    }
    shape.resize(std::max(rank, shape.size()), 1);
    WS_TRY(tile, reshape(node, tile, shape));
  }
  if (tile.shape.size() != rank) {
    return complain(node, "the tile is " + describe(tile) + ", the array has " +
                              std::to_string(rank) + " dimensions");
  }
  WS_TRY(const std::vector<Value> place, indices_of(node, *index, rank));
  WS_TRY(const Shape order, order_of(node, args.find("order"), rank));
  std::vector<Value> items(rank);
  Shape inverse(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    items[static_cast<std::size_t>(order[k])] = place[k];
    inverse[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  }
  if (!std::ranges::is_sorted(order)) {
    WS_TRY(tile, permute(node, tile, inverse));
  }
  if (is_float(tile.dtype) != is_float(array.dtype)) {
    tile = cast(tile, array.dtype);
  }
  if (array.block != nullptr) {
    WS_TRY(const BlockParts parts, tile_parts(node, array, items, tile.shape));
    WS_CHECK(write(node, "scatter", parts.pointer, tile, parts.inside ? &*parts.inside : nullptr));
    return Value();
  }
  emit("store(" + array.text + ", " + index_text(items) + ", " + tile.text + ")", node.line);
  return Value();
}

}  // namespace ws::lift::tile
