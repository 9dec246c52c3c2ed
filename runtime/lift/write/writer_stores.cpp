// Stores to global and shared memory, and copies from one to the other.
#include <algorithm>

#include "runtime/lift/write/writer.h"

namespace ws::lift {

Range Writer::range_of(const StoreGroup& group) {
  Range range;
  for (const StoreEvent& event : group.events) {
    widen(range, event.range);
  }
  return range;
}

/// Whether an element of an object is in a value.
bool Writer::reads(TermId value, ObjectId id, std::set<TermId>& seen) const {
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
bool Writer::is_separable(const StoreGroup& group) const {
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

Status Writer::store(const StoreGroup& group) {
  const std::size_t lines = lines_.size();
  Status done =
      object(group.object).kind == ObjectKind::kShared ? store_array(group) : store_tensor(group);
  const std::size_t half = group.events.size() / 2;
  if (done || half == 0 || !is_separable(group)) {
    return done;
  }
  // Rounds of an unrolled loop may each store a tile of their own.
  lines_.resize(lines);
  hoisted_.clear();
  const auto middle = group.events.begin() + static_cast<std::ptrdiff_t>(half);
  const bool stored = store({group.object, group.atomic, {group.events.begin(), middle}}) &&
                      store({group.object, group.atomic, {middle, group.events.end()}});
  return stored ? Status() : done;
}

/// A tile of global memory, or elements by their indices.
Status Writer::store_tensor(const StoreGroup& group) {
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
  WS_TRY(Text value, expression(flat->first));
  value = whole(std::move(value), flat->first.rows, flat->first.cols);
  return scatter(group, flat->first, value, range_of(group));
}

/// A tile of an array in shared memory.
Status Writer::store_array(const StoreGroup& group) {
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
  WS_TRY(Text value, expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  std::vector<std::size_t> kept;
  const std::string target = slice("self." + array.name, spot, tile, kept);
  if (kept.size() != 2) {
    return fail(ErrorCode::kUnsupported, "`" + array.name + "` is filled by single rows");
  }
  stored_.insert("self." + array.name);
  line(target + " = " + value.text, &range);
  return {};
}

Status Writer::store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
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
  WS_TRY(Text value, expression(tile));
  value = whole(std::move(value), tile.rows, tile.cols);
  const std::string name = "self." + tensor.name;
  const std::optional<std::string> index = tile_index(spot, tile);
  const bool plain = group.atomic.empty();
  if (edges && index && (masked || !plain)) {
    const std::string text = spot.first.size() == 2 ? value.text
                                                    : "reshape(" + value.text + ", " +
                                                          shape_text(spot, tile) + ", \"row\")";
    line((plain ? "store" : group.atomic) + "(" + name + ", " + *index + ", " + text + ")", &range);
    return {};
  }
  if (!plain) {
    return fail(ErrorCode::kUnsupported, "an atomic operation on elements that are no tile");
  }
  if (!masked && (spot.row_dim != Spot::kNoDim || spot.col_dim != Spot::kNoDim)) {
    std::vector<std::size_t> kept;
    const std::string target = slice(name, spot, tile, kept);
    const std::string flat =
        "reshape(" + value.text + ", (" + std::to_string(tile.rows * tile.cols) + ",), \"row\")";
    line(target + " = " + (kept.size() == 2 ? value.text : flat), &range);
    return {};
  }
  return scatter(group, tile, value, range);
}

/// The sizes of a tile in each dimension of its tensor.
std::string Writer::shape_text(const Spot& spot, const Tile& tile) {
  std::string shape;
  for (std::size_t dim = 0; dim < spot.first.size(); ++dim) {
    shape += dim == spot.row_dim   ? std::to_string(tile.rows) + ", "
             : dim == spot.col_dim ? std::to_string(tile.cols) + ", "
                                   : "1, ";
  }
  return "(" + shape + ")";
}

/// Element by element, by index and mask.
Status Writer::scatter(const StoreGroup& group, const Tile& tile, const Text& value,
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
  WS_TRY(Text at, integer(tile, offsets));
  at.type = DType::kI32;
  std::string text = "scatter(self." + input_.tensors[object(group.object).tensor].name + ", " +
                     whole(at, tile.rows, tile.cols).text + ", " + value.text;
  if (!masks[0].empty()) {
    WS_TRY(const Text holds, conditions(tile, masks));
    text += ", " + whole(holds, tile.rows, tile.cols).text;
  }
  line(text + ")", &range);
  return {};
}

Result<std::optional<Logical>> Writer::stage(const StoreGroup& group) {
  Tile tile;
  WS_TRY(std::optional<Logical> logical, tiles_.logical_of(group, *objects_, tile));
  const auto sizes = std::pair(tile.rows, tile.cols);
  const auto known = shared_.find(group.object);
  if (!logical || (known != shared_.end() && known->second != sizes)) {
    return std::optional<Logical>();
  }
  const Range range = range_of(group);
  WS_TRY(Text value, expression(tile));
  const std::string name = name_of(group.object);
  if (known == shared_.end()) {
    shared_[group.object] = sizes;
    allocations_.push_back(name + " = alloc((" + std::to_string(tile.rows) + ", " +
                           std::to_string(tile.cols) + "), \"shared\", \"" +
                           std::string(ws::name_of(object(group.object).element)) + "\")" +
                           mark(object(group.object).range));
  }
  line("copy(" + name + ", " + whole(std::move(value), tile.rows, tile.cols).text + ")", &range);
  return logical;
}

}  // namespace ws::lift
