#include "runtime/lift/write/tile_stores.h"

#include <algorithm>

#include "runtime/lift/write/tile_reads.h"

namespace ws::lift {
Range range_of(const StoreGroup& group) {
  Range range;
  for (const StoreEvent& event : group.events) {
    widen(range, event.range);
  }
  return range;
}

/// Whether an element of an object is in a value.
bool TileStores::reads(TermId value, ObjectId id, std::set<TermId>& seen) const {
  if (value == kNone || !seen.insert(value).second) {
    return false;
  }
  const Term& term = terms_.at(value);
  if (term.kind == TermKind::kLoad && term.object == id) {
    return true;
  }
  return std::ranges::any_of(term.args, [&](TermId arg) { return reads(arg, id, seen); }) ||
         std::ranges::any_of(term.masks, [&](TermId mask) { return reads(mask, id, seen); }) ||
         std::ranges::any_of(term.sources,
                             [&](const Ref& source) { return reads(source.term, id, seen); });
}

/// Whether its stores may be written one after the other: none needs what another one replaces, and
/// no two threads write the same element.
bool TileStores::is_separable(const StoreGroup& group) const {
  std::set<TermId> seen;
  std::map<std::uint64_t, std::size_t> writers;
  for (const StoreEvent& event : group.events) {
    if (reads(event.value, group.object, seen)) {
      return false;
    }
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const bool writes = lane_of(event.active, lane) != 0;
      if (writes && writers.emplace(hash_of(event.offset, lane), lane).first->second != lane) {
        return false;
      }
    }
  }
  return true;
}

Status TileStores::store(const StoreGroup& group) {
  const std::size_t before = statements_.count();
  Status done =
      object(group.object).kind == ObjectKind::kShared ? store_array(group) : store_tensor(group);
  const std::size_t half = group.events.size() / 2;
  if (done || half == 0 || !is_separable(group)) {
    return done;
  }
  // Rounds of an unrolled loop may each store a tile of their own.
  statements_.drop(before);
  names_.forget();
  const auto middle = group.events.begin() + static_cast<std::ptrdiff_t>(half);
  const bool stored = store({group.object, group.atomic, {group.events.begin(), middle}}) &&
                      store({group.object, group.atomic, {middle, group.events.end()}});
  return stored ? Status() : done;
}

/// A tile of global memory, or elements by their indices.
Status TileStores::store_tensor(const StoreGroup& group) {
  const TensorInput& tensor = input_.tensors[object(group.object).tensor];
  const auto made = tiles_.tile_of(tensor, group);
  if (made) {
    return store_tile(group, made->first, made->second, range_of(group));
  }
  const std::optional<TensorInput> rows = Tiles::as_rows(tensor);
  const auto flat = rows && group.atomic.empty() ? tiles_.tile_of(*rows, group) : made;
  if (!flat) {
    return fail(made.error());
  }
  WS_TRY(TileExpr value, source_.expression(flat->first));
  value = whole(std::move(value), flat->first.rows, flat->first.cols);
  return scatter(group, flat->first, value, range_of(group));
}

/// A tile of an array in shared memory.
Status TileStores::store_array(const StoreGroup& group) {
  const Object& array = object(group.object);
  const Range range = range_of(group);
  TensorInput as_tensor;
  as_tensor.name = array.name;
  as_tensor.type = array.element;
  for (const std::int64_t dim : array.dims) {
    as_tensor.shape.push_back(Poly(dim));
  }
  WS_TRY(const auto made, tiles_.tile_of(as_tensor, group));
  const auto& [tile, spot] = made;
  WS_TRY(TileExpr value, source_.expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  std::vector<std::size_t> kept;
  const ir::ExprId target = parts_.part(tree_.self(array.name), spot, tile, kept);
  if (kept.size() != 2) {
    return fail(ErrorCode::kUnsupported, "`" + array.name + "` is filled by single rows");
  }
  stored_.insert("self." + array.name);
  statements_.assign(target, value.expr, &range);
  return {};
}

Status TileStores::store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
                              const Range& range) {
  const TensorInput& tensor = input_.tensors[object(group.object).tensor];
  bool masked = false;
  bool edges = true;
  for (const StoreEvent& event : group.events) {
    masked = masked || !event.masks.empty();
    const auto index = tiles_.coordinates(tensor, event.offset);
    for (const TermId mask : event.masks) {
      const auto dim = index ? tiles_.edge_of(mask, *index, tensor) : std::nullopt;
      // Atomic operations have no form by index: a tile is all that there is.
      edges = edges && dim && (!group.atomic.empty() || only_cuts(spot, *dim));
    }
  }
  WS_TRY(TileExpr value, source_.expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  const ir::ExprId into = tree_.self(tensor.name);
  const std::optional<ir::ExprId> index = parts_.tile_index(spot, tile);
  const auto by_row = [&](ir::ExprId shape) {
    return tree_.call(ir::Op::kReshape, {value.expr, shape, tree_.string("row")});
  };
  const bool plain = group.atomic.empty();
  if (edges && index && (masked || !plain)) {
    const ir::ExprId shaped = spot.first.size() == 2 ? value.expr : by_row(shape_of(spot, tile));
    const ir::ExprId callee = tree_.name(plain ? "store" : group.atomic);
    statements_.call(tree_.call(callee, {into, *index, shaped}), range);
    return {};
  }
  if (!plain) {
    return fail(ErrorCode::kUnsupported, "an atomic operation on elements that are no tile");
  }
  if (!masked && (spot.row_dim != Spot::kNoDim || spot.col_dim != Spot::kNoDim)) {
    std::vector<std::size_t> kept;
    const ir::ExprId target = parts_.part(into, spot, tile, kept);
    const bool flat = kept.size() != 2;
    statements_.assign(
        target, flat ? by_row(tree_.tuple({tree_.integer(tile.rows * tile.cols)})) : value.expr,
        &range);
    return {};
  }
  return scatter(group, tile, value, range);
}

/// The sizes of a tile in each dimension of its tensor.
ir::ExprId TileStores::shape_of(const Spot& spot, const Tile& tile) {
  std::vector<ir::ExprId> sizes;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    sizes.push_back(tree_.integer(dim == spot.row_dim   ? tile.rows
                                  : dim == spot.col_dim ? tile.cols
                                                        : 1));
  }
  return tree_.tuple(std::move(sizes));
}

/// Element by element, by index and mask.
Status TileStores::scatter(const StoreGroup& group, const Tile& tile, const TileExpr& value,
                           const Range& range) {
  std::map<std::pair<TermId, std::int32_t>, const StoreEvent*> events;
  for (const StoreEvent& event : group.events) {
    for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
      const bool writes = lane_of(event.active, lane) != 0;
      if (writes &&
          !events.emplace(std::pair(event.value, static_cast<std::int32_t>(lane)), &event).second) {
        return fail(ErrorCode::kUnsupported,
                    "one value is written to several places that are no tile");
      }
    }
  }
  std::vector<std::vector<TermId>> masks;
  std::vector<const Poly*> offsets;
  for (const Ref& point : tile.points) {
    const StoreEvent& event = *events.at({point.term, point.lane});
    offsets.push_back(&event.offset);
    masks.push_back(event.masks);
  }
  WS_TRY(TileExpr at, numbers_.integer(tile, offsets));
  at.type = DType::kI32;
  std::vector<ir::ExprId> args = {tree_.self(input_.tensors[object(group.object).tensor].name),
                                  whole(at, tile.rows, tile.cols).expr, value.expr};
  if (!masks[0].empty()) {
    WS_TRY(const TileExpr holds, all_hold(tree_, source_, tile, masks));
    args.push_back(whole(holds, tile.rows, tile.cols).expr);
  }
  statements_.call(tree_.call(ir::Op::kScatter, args), range);
  return {};
}

}  // namespace ws::lift
