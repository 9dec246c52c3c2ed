// The memory of cuTile: arrays with shapes, read and written by tiles.
#include <algorithm>
#include <numeric>

#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

struct PaddingName {
  std::string_view name;
  std::string_view word;  ///< `pad` of CuIR's load.
};

constexpr std::array<PaddingName, 12> kPaddings = {{{"UNDETERMINED", "none"},
                                                    {"ZERO", "zero"},
                                                    {"NEG_ZERO", "-zero"},
                                                    {"NAN", "nan"},
                                                    {"POS_INF", "inf"},
                                                    {"NEG_INF", "-inf"},
                                                    {"Undetermined", "none"},
                                                    {"Zero", "zero"},
                                                    {"NegZero", "-zero"},
                                                    {"Nan", "nan"},
                                                    {"PosInf", "inf"},
                                                    {"NegInf", "-inf"}}};

/// The word of a `ct.PaddingMode.ZERO`; nothing: there is no such mode.
std::optional<std::string> padding_word(const Value* mode) {
  if (mode == nullptr) {
    return "none";
  }
  const std::string last = mode->text.substr(mode->text.rfind('.') + 1);
  const auto* const row =
      std::ranges::find_if(kPaddings, [&](const PaddingName& each) { return each.name == last; });
  return row == kPaddings.end() ? std::nullopt : std::optional(std::string(row->word));
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
  std::vector<std::string> index_text(rank);
  Shape own(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    index_text[static_cast<std::size_t>(order[k])] = place[k].text;
    own[static_cast<std::size_t>(order[k])] = shape[k];
  }
  std::string list;
  for (std::size_t d = 0; d < rank; ++d) {
    list += (d == 0 ? "" : ", ") + index_text[d];
  }
  Value tile = tile_of(array.dtype, own,
                       "load(" + array.text + ", (" + list + (rank == 1 ? ",)" : ")") + ", " +
                           to_text(own) + ", pad=\"" + *pad + "\")");
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
  std::vector<std::string> index_text(rank);
  Shape inverse(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    index_text[static_cast<std::size_t>(order[k])] = place[k].text;
    inverse[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  }
  if (!std::ranges::is_sorted(order)) {
    WS_TRY(tile, permute(node, tile, inverse));
  }
  if (is_float(tile.dtype) != is_float(array.dtype)) {
    tile = cast(tile, array.dtype);
  }
  std::string list;
  for (std::size_t d = 0; d < rank; ++d) {
    list += (d == 0 ? "" : ", ") + index_text[d];
  }
  emit("store(" + array.text + ", (" + list + (rank == 1 ? ",)" : ")") + ", " + tile.text + ")",
       node.line);
  return Value();
}

}  // namespace ws::lift::tile
