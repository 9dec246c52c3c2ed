// Tiles of global memory that threads copy to shared memory: they stay buffers of the program.
#include <algorithm>
#include <limits>

#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

/// A tile of a tensor that is copied stays a buffer; everything else that goes through shared
/// memory is how threads exchange values. An array may hold tiles of several tensors.
Status Block::flush_shared(const StoreGroup& group) {
  if (reports_.is_trial() || mode_.pipeline.period > 0) {
    return {};
  }
  std::map<ObjectId, StoreGroup> by_source;
  for (const StoreEvent& event : group.events) {
    const TermId load = copied_load(terms_, event.value);
    if (load != kNone && object(terms_.at(load).object).kind == ObjectKind::kTensor) {
      by_source[terms_.at(load).object].events.push_back(event);
    }
  }
  for (auto& [source, part] : by_source) {
    WS_CHECK(stage(group.object, source, std::move(part)));
  }
  return {};
}

/// Makes a buffer of a tile, if it is one: its elements in shared memory are read from there.
Status Block::stage(ObjectId shared, ObjectId source, StoreGroup part) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const StoreEvent& event : part.events) {
    const Lanes at = event.offset.constant();
    first = std::min(first, *std::ranges::min_element(at));
  }
  const auto [entry, fresh] =
      staged_.try_emplace({shared, source, first}, static_cast<ObjectId>(objects_.size()));
  if (fresh) {
    objects_.push_back(tile_of(shared, source));
  }
  part.object = entry->second;
  WS_TRY(std::optional<Logical> logical, reports_.stage(part));
  if (!logical) {
    return {};
  }
  Object& tile = object(part.object);
  tile.logical = *std::move(logical);
  ++tile.version;
  for (const StoreEvent& event : part.events) {
    Term term;
    term.kind = TermKind::kLoad;
    term.type = tile.element;
    term.object = part.object;
    term.poly = event.offset;
    term.version = tile.version;
    term.range = event.range;
    const TermId load = terms_.add(std::move(term));
    const Lanes at = event.offset.constant();
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (lane_of(event.active, lane) == 0) {
        continue;
      }
      Cell& cell = object(shared).cells[lane_of(at, lane)];
      if (cell.source == Ref{event.value, static_cast<std::int32_t>(lane)}) {
        cell.source.term = load;
      }
    }
  }
  return {};
}

Object Block::tile_of(ObjectId shared, ObjectId source) const {
  const Object& array = objects_[static_cast<std::size_t>(shared)];
  const Object& tensor = objects_[static_cast<std::size_t>(source)];
  const bool sized = array.type != kNone && tree_.type(array.type).bytes > 0;
  Object made;
  made.kind = ObjectKind::kShared;
  made.name = array_name(input_, sized ? array.name : array.name + "_" + tensor.name);
  made.type = array.type;
  made.element = array.element;
  made.range = array.range;
  return made;
}

/// Whether it is an element of a buffer.
bool Block::is_staged(const Cell& cell) const {
  if (cell.source.term == kNone) {
    return false;
  }
  const Term& term = terms_.at(cell.source.term);
  return term.kind == TermKind::kLoad &&
         objects_[static_cast<std::size_t>(term.object)].kind == ObjectKind::kShared;
}

}  // namespace ws::lift
