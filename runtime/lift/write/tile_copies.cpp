// Copies from global to shared memory.
#include "runtime/lift/write/tile_stores.h"

namespace ws::lift {
Result<std::optional<Logical>> TileStores::stage(const StoreGroup& group) {
  Tile tile;
  WS_TRY(std::optional<Logical> logical, tiles_.logical_of(group, objects(), tile));
  const auto sizes = std::pair(tile.rows, tile.cols);
  const std::optional<ProgramVariables::Size> known = variables_.shared_size(group.object);
  if (!logical || (known && *known != sizes)) {
    return std::optional<Logical>();
  }
  const Range range = range_of(group);
  WS_TRY(TileExpr value, source_.expression(tile));
  const ir::ExprId name = variables_.name_of(group.object);
  if (!known) {
    variables_.set_shared_size(group.object, sizes);
    const Object& array = object(group.object);
    const ir::ExprId made =
        tree_.call(ir::Op::kAlloc, {shape_expr(tree_, tile.rows, tile.cols), tree_.string("shared"),
                                    type_expr(tree_, array.element)});
    allocations_.push_back(tree_.assignment(name, made, statements_.mark(array.range)));
  }
  value = whole(std::move(value), tile.rows, tile.cols);
  statements_.call(tree_.call(ir::Op::kCopy, {name, value.expr}), range);
  return logical;
}

Result<std::map<std::string, Logical>> TileStores::copies(const std::vector<CopyEvent>& events,
                                                          const Range& range) {
  std::map<std::string, Logical> orders;
  WS_TRY(const std::vector<TileCopy> all,
         Copies(terms_, tiles_, input_, objects()).tiles_of(events));
  for (const TileCopy& copy : all) {
    const Object& array = object(copy.target);
    std::vector<std::size_t> kept;
    const Spot part{{Poly(copy.row), Poly(copy.col)}, 0, 1};
    const std::optional<ir::ExprId> target =
        parts_.array_part(array, copy.first, part, copy.tile, kept);
    if (!target) {
      return fail(ErrorCode::kUnsupported, "`" + array.name + "` is filled across its tiles");
    }
    const ir::ExprId tensor = tree_.self(input_.tensors[object(copy.source).tensor].name);
    const ir::ExprId source = parts_.part(tensor, copy.spot, copy.tile, kept);
    ir::TreeBuilder::Keywords keywords = {{"instruction", tree_.string("cp.async")}};
    if (copy.padded) {
      keywords.emplace_back("pad", tree_.string("zero"));
    }
    statements_.call(tree_.call(ir::Op::kCopyAsync, {*target, source}, keywords), range);
    Logical& order = orders["self." + array.name];
    for (const auto& [place, element] : copy.order) {
      if (!order.emplace(place, element).second && order.at(place) != element) {
        return fail(ErrorCode::kUnsupported, "`" + array.name + "` is permuted in two ways");
      }
    }
  }
  return orders;
}

}  // namespace ws::lift
