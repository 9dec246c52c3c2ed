// Parts of the arrays of cuTile: their elements are reached by their places in the tensor.
#include "runtime/lift/tile/lifter.h"
#include "runtime/lift/tile/padding.h"

namespace ws::lift::tile {

Value Lifter::extent_of(const Value& array, std::size_t dim) {
  return array.block != nullptr
             ? array.block->sizes[dim]
             : number_of(DType::kI32, array.text + ".shape[" + std::to_string(dim) + "]");
}

Result<BlockView> Lifter::view_of(const Node& node, const Value& array) {
  if (array.block != nullptr) {
    return *array.block;
  }
  BlockView view;
  view.base = array;
  view.base.kind = ValueKind::kPointer;
  view.base.shape.clear();
  view.base.text = "0";
  view.base.precedence = kTight;
  view.base.integer = 0;
  for (std::size_t d = 0; d < array.shape.size(); ++d) {
    view.sizes.push_back(extent_of(array, d));
  }
  Value stride = constant_of(std::int64_t{1});
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    view.strides.insert(view.strides.begin(), stride);
    WS_TRY(stride, binary(node, "*", stride, view.sizes.at(d)));
  }
  return view;
}

Result<Value> Lifter::array_slice(const Node& node, const Arguments& args) {
  WS_TRY(Value array, array_argument(node, args));
  const Value* axis = args.find("axis");
  const Value* start = args.find("start");
  const Value* stop = args.find("stop");
  if (axis == nullptr || start == nullptr || stop == nullptr) {
    return complain(node, "`slice` needs `axis`, `start` and `stop`");
  }
  WS_TRY(const std::int64_t at, axis_of(node, *axis, array.shape.size()));
  WS_TRY(BlockView view, view_of(node, array));
  const auto dim = static_cast<std::size_t>(at);
  WS_TRY(const Value first, binary(node, "*", *start, view.strides[dim]));
  WS_TRY(const Value base, pointer_sum(node, "+", view.base, first));
  WS_TRY(const Value size, binary(node, "-", *stop, *start));
  view.base = fixed(base, node.line);
  view.sizes[dim] = fixed(size, node.line);
  array.block = std::make_shared<const BlockView>(std::move(view));
  return array;
}

Result<Lifter::BlockParts> Lifter::tile_parts(const Node& node, const Value& array,
                                              std::vector<Value> items, const Shape& shape) {
  WS_TRY(BlockView view, view_of(node, array));
  view.block = shape;
  view.descriptor = true;
  Value block;
  block.kind = ValueKind::kBlock;
  block.dtype = array.dtype;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    WS_TRY(items[d], binary(node, "*", items[d], constant_of(shape[d])));
  }
  block.items = std::move(items);
  block.block = std::make_shared<const BlockView>(std::move(view));
  return block_parts(node, block, nullptr);
}

Result<Value> Lifter::array_part(const Node& node, const Arguments& args) {
  const Value* length = args.find("length");
  if (length == nullptr || !args.first().is_number()) {
    return complain(node, "`" + spelled(Api::kPart) + "` takes a start and a length");
  }
  Value part;
  part.kind = ValueKind::kPart;
  part.items = {args.first()};
  WS_TRY(part.shape, shape_of(node, *length));
  return part;
}

Result<Value> Lifter::load_parts(const Node& node, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const Value* indices = args.find("indices");
  const std::size_t rank = array.shape.size();
  if (indices == nullptr || indices->items.size() != rank) {
    return complain(node, "`" + spelled(Api::kLoadParts) + "` needs an index or a `ct.Slice` for " +
                              "each of the " + std::to_string(rank) + " dimensions");
  }
  const std::optional<std::string> pad = padding_word(args.find("padding_mode"));
  if (!pad) {
    return complain(node, "unknown padding mode `" + args.find("padding_mode")->text + "`");
  }
  WS_TRY(const BlockView view, view_of(node, array));
  BlockParts parts{view.base, std::nullopt};
  int tiles = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    const Value& item = indices->items[d];
    Shape shape(rank, 1);
    Value index = item;
    if (item.kind == ValueKind::kPart) {
      const std::string length = std::to_string(item.shape.front());
      WS_TRY(index, binary(node, "+", tile_of(DType::kI32, item.shape, "arange(" + length + ")"),
                           item.items.front()));
    }
    tiles += item.is_tile() ? 1 : 0;
    if (!index.is_tile() || index.shape.size() != 1 || is_float(index.dtype) || tiles > 1) {
      return complain(node,
                      "an index is one tile of integers with one dimension, or a `ct.Slice`, "
                      "got " +
                          describe(item));
    }
    shape[d] = index.shape.front();
    WS_TRY(index, reshape(node, index, shape));
    WS_CHECK(
        add_dim(node, parts, named(index, "index", node.line), view.strides[d], &view.sizes[d]));
  }
  return masked_gather(node, parts.pointer, &*parts.inside, nullptr, padding_value(*pad));
}

}  // namespace ws::lift::tile
