// Writes of a symbolic run.
#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/memory.h"

namespace ws::lift {

Status Memory::store(const ValuePlace& place, const Value& value, const Range& range) {
  const std::vector<Scalar>& scalars = scalars_.of(place.type);
  if (scalars.size() != value.leaves.size()) {
    return fail(ErrorCode::kUnsupported, "a value is written to a place of another form");
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ValuePlace part{place.object, place.offset.plus(Poly(scalars[i].offset)),
                          scalars[i].type};
    WS_CHECK(store_scalar(part, value.leaves[i], range));
  }
  return {};
}

Status Memory::store_scalar(const ValuePlace& place, const Leaf& leaf, const Range& range) {
  WS_CHECK(steps_.take());
  const std::int64_t bytes = tree_.type(place.type).bytes;
  const Variables::Slice slice = slice_at(place);
  const bool wide = slice.bytes > 0 && bytes > slice.bytes && bytes % slice.bytes == 0;
  const bool part = bytes > 0 && bytes < slice.bytes && slice.bytes % bytes == 0 &&
                    objects_.at(place.object).kind == ObjectKind::kLocal;
  if (part && leaf.term != kNone) {
    return variables_.store_part(place, slice, leaf.term, range);
  }
  if (!wide || leaf.term == kNone) {
    return store_element(place.object, place.offset, bytes, leaf, range);
  }
  const auto count = static_cast<std::size_t>(bytes / slice.bytes);
  WS_TRY(const std::vector<TermId> parts, bit_parts(terms_, leaf.term, count, slice.type));
  for (std::size_t i = 0; i < count; ++i) {
    const Poly offset = place.offset.plus(Poly(static_cast<std::int64_t>(i) * slice.bytes));
    WS_CHECK(store_element(place.object, offset, slice.bytes, {parts[i], kNone, {}}, range));
  }
  return {};
}

Status Memory::store_element(ObjectId id, const Poly& offset, std::int64_t bytes, const Leaf& leaf,
                             const Range& range) {
  const Object& target = objects_.at(id);
  if (target.kind == ObjectKind::kLocal) {
    return variables_.store(id, offset, leaf, range);
  }
  if (leaf.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is written to memory");
  }
  WS_TRY(const Poly elements, element_offset(target, offset, bytes));
  if (target.kind == ObjectKind::kShared) {
    return store_shared(id, elements, leaf.term, range);
  }
  store_later(id, elements, leaf.term, range, "");
  return {};
}

Status Memory::store_shared(ObjectId id, const Poly& offset, TermId value, const Range& range) {
  if (mode_.is_part()) {
    return store_tile(id, offset, value, range);
  }
  Object& target = objects_.at(id);
  WS_CHECK(SharedMemory::check_known(target, offset));
  const std::optional<TermId> both = pending_.join(id, offset, value);
  if (!both) {
    store_later(id, offset, value, range, "");
  }
  const bool all = both.has_value() || guards_.conditions().empty();
  return shared_.store(target, offset, both.value_or(value),
                       [&](const Cell& cell) { return all || staging_.holds(cell); });
}

/// A part of a kernel fills an array of the program: a tile of it, which nothing else lays out.
Status Memory::store_tile(ObjectId id, const Poly& offset, TermId value, const Range& range) {
  const Object& target = objects_.at(id);
  if (target.dims.size() < 2 || !target.logical.empty() || !guards_.masks().empty()) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name +
                    "` is written by threads, and is no array with rows and columns "
                    "that all of them fill");
  }
  if (tiles_read_.contains(id)) {
    return fail(ErrorCode::kUnsupported, "`" + target.name + "` is written after it was read");
  }
  store_later(id, offset, value, range, "");
  return {};
}

void Memory::store_later(ObjectId id, const Poly& offset, TermId value, const Range& range,
                         const std::string& atomic) {
  Object& target = objects_.at(id);
  for (std::size_t lane = 0; lane < terms_.lanes() && target.kind == ObjectKind::kTensor; ++lane) {
    if (guards_.is_active(lane)) {
      target.written.insert(hash_of(offset, lane));
    }
  }
  if (loops_ > 0 && target.kind == ObjectKind::kTensor) {
    target.written_in_loop.push_back(offset);
  }
  pending_.add(id, offset, value, range, atomic);
}

}  // namespace ws::lift
