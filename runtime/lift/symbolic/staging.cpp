#include "runtime/lift/symbolic/staging.h"

#include <algorithm>
#include <limits>

#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

Status Staging::stage(const StoreGroup& group) {
  std::map<ObjectId, StoreGroup> by_source;
  for (const StoreEvent& event : group.events) {
    const TermId load = copied_load(terms_, event.value);
    if (load != kNone && objects_.at(terms_.at(load).object).kind == ObjectKind::kTensor) {
      by_source[terms_.at(load).object].events.push_back(event);
    }
  }
  for (auto& [source, part] : by_source) {
    WS_CHECK(stage_tile(group.object, source, std::move(part)));
  }
  return {};
}

/// Makes a buffer of a tile, if it is one.
Status Staging::stage_tile(ObjectId shared, ObjectId source, StoreGroup part) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const StoreEvent& event : part.events) {
    const Lanes at = event.offset.constant();
    first = std::min(first, *std::ranges::min_element(at));
  }
  const auto [entry, fresh] =
      tiles_.try_emplace({shared, source, first}, static_cast<ObjectId>(objects_.size()));
  if (fresh) {
    objects_.add(tile_of(shared, source));
  }
  part.object = entry->second;
  WS_TRY(std::optional<Logical> logical, reports_.stage(part));
  if (!logical) {
    return {};
  }
  Object& tile = objects_.at(part.object);
  tile.logical = *std::move(logical);
  ++tile.version;
  for (const StoreEvent& event : part.events) {
    read_from(tile, part.object, shared, event);
  }
  return {};
}

/// The elements that a store has written to an array are those of a tile.
void Staging::read_from(const Object& tile, ObjectId id, ObjectId shared, const StoreEvent& event) {
  Term term;
  term.kind = TermKind::kLoad;
  term.type = tile.element;
  term.object = id;
  term.poly = event.offset;
  term.version = tile.version;
  term.range = event.range;
  const TermId load = terms_.add(std::move(term));
  const Lanes at = event.offset.constant();
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    if (lane_of(event.active, lane) == 0) {
      continue;
    }
    Cell& cell = objects_.at(shared).cells[lane_of(at, lane)];
    if (cell.source == Ref{event.value, static_cast<std::int32_t>(lane)}) {
      cell.source.term = load;
    }
  }
}

Object Staging::tile_of(ObjectId shared, ObjectId source) const {
  const Object& array = objects_.at(shared);
  const Object& tensor = objects_.at(source);
  const bool sized = array.type != kNone && tree_.type(array.type).bytes > 0;
  Object made;
  made.kind = ObjectKind::kShared;
  made.name = array_name(input_, sized ? array.name : array.name + "_" + tensor.name);
  made.type = array.type;
  made.element = array.element;
  made.range = array.range;
  return made;
}

bool Staging::holds(const Cell& cell) const {
  if (cell.source.term == kNone) {
    return false;
  }
  const Term& term = terms_.at(cell.source.term);
  return term.kind == TermKind::kLoad && objects_.at(term.object).kind == ObjectKind::kShared;
}

}  // namespace ws::lift
