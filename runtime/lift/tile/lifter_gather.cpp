// Single elements of the arrays of cuTile, by their indices.
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {

Result<Lifter::BlockParts> Lifter::places(const Node& node, const Value& array,
                                          const Value& indices, bool check) {
  const std::size_t rank = array.shape.size();
  WS_TRY(std::vector<Value> items, indices_of(node, indices, rank));
  WS_TRY(const BlockView view, view_of(node, array));
  std::vector<Value*> all;
  for (Value& item : items) {
    item = named(item, "index", node.line);
    all.push_back(&item);
  }
  WS_TRY(const Shape shape, align(node, all));
  BlockParts made{view.base, std::nullopt};
  for (std::size_t d = 0; d < rank; ++d) {
    WS_CHECK(add_dim(node, made, items[d], view.strides[d], check ? &view.sizes[d] : nullptr));
  }
  if (!shape.empty() && made.pointer.shape != shape) {
    return complain(node, "the indices do not fit each other");
  }
  return made;
}

Result<Lifter::BlockParts> Lifter::reached(const Node& node, const Value& array,
                                           const Value& indices, const Arguments& args) {
  const Value* check = args.find("check_bounds");
  WS_TRY(BlockParts made, places(node, array, indices, check == nullptr || check->number() != 0));
  if (const Value* mask = args.find("mask")) {
    WS_TRY(made.inside,
           made.inside ? binary(node, "&", *made.inside, *mask) : Result<Value>(*mask));
  }
  return made;
}

Result<Value> Lifter::array_gather(const Node& node, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const Value* indices = args.find("indices");
  if (indices == nullptr) {
    return complain(node, "`" + spelled(Api::kGather) + "` needs `indices`");
  }
  WS_TRY(const BlockParts where, reached(node, array, *indices, args));
  const Value* padding = args.find("padding_value");
  return masked_gather(node, where.pointer, where.inside ? &*where.inside : nullptr, padding, "0");
}

Result<Value> Lifter::array_scatter(const Node& node, const ApiInfo& info, const Arguments& args) {
  WS_TRY(const Value array, array_argument(node, args));
  const bool adds = info.api == Api::kAtomicAdd;
  const Value* indices = args.find("indices");
  const Value* value = args.find(adds ? "update" : "value");
  if (indices == nullptr || value == nullptr) {
    return complain(node, "`" + prefix() + info.spelling(file_.language).text() +
                              "` needs `indices` and a value");
  }
  WS_TRY(const BlockParts where, reached(node, array, *indices, args));
  WS_CHECK(write(node, adds ? "scatter_add" : "scatter", where.pointer, *value,
                 where.inside ? &*where.inside : nullptr));
  return adds ? name_of("what was there before an atomic operation") : Value();
}

}  // namespace ws::lift::tile
