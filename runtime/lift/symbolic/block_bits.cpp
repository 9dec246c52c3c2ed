// Accesses that are wider or narrower than what lies in memory: eight halves as a `float4`.
#include <algorithm>

#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// The scalar at an offset of an object; in a local variable the one that begins there or before.
Block::Element Block::element_at(const Object& target, const Poly& offset) {
  if (target.kind != ObjectKind::kLocal) {
    return {.bytes = static_cast<std::int64_t>(size_of(target.element)),
            .type = target.element,
            .begin = 0};
  }
  const std::vector<Scalar>& scalars = scalars_.of(target.type);
  const std::optional<std::int64_t> at = offset.number();
  const auto behind = !at ? scalars.begin()
                          : std::upper_bound(scalars.begin(), scalars.end(), *at,
                                             [](std::int64_t wanted, const Scalar& row) {
                                               return wanted < row.offset;
                                             });
  if (behind == scalars.begin()) {
    return {};
  }
  const Scalar& found = *(behind - 1);
  return {.bytes = tree_.type(found.type).bytes,
          .type = scalars_.dtype_of(found.type),
          .begin = found.offset};
}

Result<Leaf> Block::load_bits(const ValuePlace& place, const Element& element, TypeId type) {
  const std::int64_t parts = tree_.type(type).bytes / element.bytes;
  std::vector<TermId> terms;
  for (std::int64_t i = 0; i < parts; ++i) {
    const Poly offset = place.offset.plus(Poly(i * element.bytes));
    WS_TRY(const Leaf leaf, load_element(place.object, offset, element.bytes));
    if (leaf.term == kNone) {
      return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
    }
    terms.push_back(leaf.term);
  }
  return Leaf{terms_.operation(OwnOp::kBits, scalars_.dtype_of(type), std::move(terms)), kNone, {}};
}

/// Some of the elements that were copied into a local variable as a wider number: one, or several
/// as a number of type `type`.
Result<Leaf> Block::load_part(const ValuePlace& place, const Element& element, TypeId type) {
  const std::int64_t bytes = tree_.type(type).bytes;
  WS_TRY(const Leaf whole, load_element(place.object, Poly(element.begin), element.bytes));
  if (whole.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
  }
  const std::int64_t within = *place.offset.number() - element.begin;
  const bool is_bits = terms_.at(whole.term).op == OwnOp::kBits;
  const auto count = is_bits ? static_cast<std::int64_t>(terms_.at(whole.term).args.size())
                             : element.bytes / bytes;
  const std::int64_t each = element.bytes / count;
  Result<std::vector<TermId>> parts = bit_parts(
      terms_, whole.term, static_cast<std::size_t>(count),
      is_bits ? terms_.at(terms_.at(whole.term).args.front()).type : scalars_.dtype_of(type));
  if (!parts || within % bytes != 0 || bytes % each != 0) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(place.object).name + "` is read by parts of its numbers");
  }
  const auto first = parts->begin() + within / each;
  return bytes == each ? as_real(terms_, Leaf{*first, kNone, {}}, scalars_.dtype_of(type),
                                 object(place.object).name)
                       : Leaf{terms_.operation(OwnOp::kBits, scalars_.dtype_of(type),
                                               std::vector<TermId>(first, first + bytes / each)),
                              kNone,
                              {}};
}

/// One of several elements in a wider number of a local variable. What the others are is not known
/// where they were something else before.
Status Block::store_part(const ValuePlace& place, const Element& element, TermId value,
                         const Range& range) {
  Object& target = object(place.object);
  const std::int64_t bytes = tree_.type(place.type).bytes;
  const std::int64_t within = *place.offset.number() - element.begin;
  const auto count = static_cast<std::size_t>(element.bytes / bytes);
  const DType type = terms_.at(value).type;
  WS_TRY(const std::size_t index, leaf_index(target, Poly(element.begin)));
  if (within % bytes != 0) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` is written by parts of its numbers");
  }
  const TermId before = target.leaves[index].term;
  const Result<std::vector<TermId>> known = before == kNone
                                                ? Result<std::vector<TermId>>(std::vector<TermId>())
                                                : bit_parts(terms_, before, count, type);
  // A value in no thread at all.
  std::vector<TermId> parts =
      known && !known->empty()
          ? *known
          : std::vector<TermId>(count, terms_.move(type, std::vector<Ref>(lanes_)));
  parts[static_cast<std::size_t>(within / bytes)] = value;
  const TermId made = terms_.operation(OwnOp::kBits, element.type, std::move(parts));
  return store_local(target, Poly(element.begin), {made, kNone, {}}, range);
}

}  // namespace ws::lift
