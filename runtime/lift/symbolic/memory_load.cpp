// Reads of a symbolic run.
#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/memory.h"

namespace ws::lift {

Result<Value> Memory::load(const ValuePlace& place) {
  Value value{place.type, {}};
  for (const Scalar& row : scalars_.of(place.type)) {
    WS_TRY(Leaf leaf, load_scalar({place.object, place.offset.plus(Poly(row.offset)), row.type}));
    value.leaves.push_back(std::move(leaf));
  }
  return value;
}

Result<Leaf> Memory::load_scalar(const ValuePlace& place) {
  WS_CHECK(steps_.take());
  const std::int64_t bytes = tree_.type(place.type).bytes;
  const Variables::Slice slice = slice_at(place);
  if (slice.bytes > 0 && bytes > slice.bytes && bytes % slice.bytes == 0) {
    return load_bits(place, slice.bytes);
  }
  if (bytes > 0 && bytes < slice.bytes && objects_.at(place.object).kind == ObjectKind::kLocal) {
    return variables_.load_part(place, slice, place.type);
  }
  WS_TRY(const Leaf leaf, load_element(place.object, place.offset, bytes));
  return as_real(terms_, leaf, scalars_.dtype_of(place.type), objects_.at(place.object).name);
}

/// A number of the bits of several elements: eight halves as a `float4`.
/// @param bytes  The size of an element.
Result<Leaf> Memory::load_bits(const ValuePlace& place, std::int64_t bytes) {
  const std::int64_t parts = tree_.type(place.type).bytes / bytes;
  std::vector<TermId> terms;
  for (std::int64_t i = 0; i < parts; ++i) {
    const Poly offset = place.offset.plus(Poly(i * bytes));
    WS_TRY(const Leaf leaf, load_element(place.object, offset, bytes));
    if (leaf.term == kNone) {
      return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
    }
    terms.push_back(leaf.term);
  }
  return Leaf{
      terms_.operation(OwnOp::kBits, scalars_.dtype_of(place.type), std::move(terms)), kNone, {}};
}

Result<Leaf> Memory::load_element(ObjectId id, const Poly& offset, std::int64_t bytes) {
  const Object& source = objects_.at(id);
  if (source.kind == ObjectKind::kLocal) {
    return variables_.load(id, offset);
  }
  WS_TRY(Poly elements, element_offset(source, offset, bytes));
  return source.kind == ObjectKind::kShared ? load_shared(id, elements)
                                            : load_tensor(id, std::move(elements));
}

Result<Leaf> Memory::load_shared(ObjectId id, const Poly& offset) {
  Object& source = objects_.at(id);
  if (mode_.is_part()) {
    return fail(ErrorCode::kUnsupported, "`" + source.name + "` is read by threads");
  }
  return shared_.load(source, offset);
}

Result<TermId> Memory::load_tile(ObjectId id, const Poly& offset) {
  // The program reads an array before a part's stores to it.
  if (pending_.has(id)) {
    return fail(ErrorCode::kUnsupported,
                "`" + objects_.at(id).name + "` is read after it was written");
  }
  tiles_read_.insert(id);
  Term term;
  term.kind = TermKind::kLoad;
  term.type = objects_.at(id).element;
  term.object = id;
  term.poly = offset;
  term.range = steps_.where();
  return terms_.add(std::move(term));
}

Result<Leaf> Memory::load_tensor(ObjectId id, Poly offset) {
  Object& source = objects_.at(id);
  for (std::size_t lane = 0; lane < terms_.lanes() && !source.written.empty(); ++lane) {
    if (guards_.is_active(lane) && source.written.contains(hash_of(offset, lane))) {
      return fail(ErrorCode::kUnsupported, "`" + source.name + "` is read after it was written");
    }
  }
  if (loops_ > 0) {
    source.read_in_loop.push_back(offset);
  }
  Term term;
  term.kind = TermKind::kLoad;
  term.type = source.element;
  term.object = id;
  term.poly = std::move(offset);
  term.masks = guards_.masks();
  term.range = steps_.where();
  return Leaf{terms_.add(std::move(term)), kNone, {}};
}

}  // namespace ws::lift
