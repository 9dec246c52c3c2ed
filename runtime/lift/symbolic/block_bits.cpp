// Accesses that are wider or narrower than what lies in memory: eight halves as a `float4`.
#include <algorithm>
#include <cmath>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// The scalar at an offset of an object; in a local variable the one that begins there or before.
Block::Element Block::element_at(const Object& target, const Poly& offset) {
  if (target.kind != ObjectKind::kLocal) {
    return {.bytes = static_cast<std::int64_t>(size_of(target.element)),
            .type = target.element,
            .begin = 0};
  }
  const std::vector<Scalar>& scalars = layout(target.type);
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
  return {
      .bytes = tree_.type(found.type).bytes, .type = dtype_of(found.type), .begin = found.offset};
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
  return Leaf{terms_.operation(OwnOp::kBits, dtype_of(type), std::move(terms)), kNone, {}};
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
  Result<std::vector<TermId>> parts =
      bits_of(whole.term, static_cast<std::size_t>(count),
              is_bits ? terms_.at(terms_.at(whole.term).args.front()).type : dtype_of(type));
  if (!parts || within % bytes != 0 || bytes % each != 0) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(place.object).name + "` is read by parts of its numbers");
  }
  const auto first = parts->begin() + within / each;
  return bytes == each ? as_real(Leaf{*first, kNone, {}}, dtype_of(type), object(place.object).name)
                       : Leaf{terms_.operation(OwnOp::kBits, dtype_of(type),
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
                                                : bits_of(before, count, type);
  // A value in no thread at all.
  std::vector<TermId> parts =
      known && !known->empty()
          ? *known
          : std::vector<TermId>(count, terms_.move(type, std::vector<Ref>(lanes_)));
  parts[static_cast<std::size_t>(within / bytes)] = value;
  const TermId made = terms_.operation(OwnOp::kBits, element.type, std::move(parts));
  return store_local(target, Poly(element.begin), {made, kNone, {}}, range);
}

/// The values of several elements that have the bits of one wider number.
Result<std::vector<TermId>> Block::bits_of(TermId id, std::size_t parts, DType type) {
  const Term term = terms_.at(id);
  const bool zero =
      (term.kind == TermKind::kNumber && term.number == 0 && !std::signbit(term.number)) ||
      (term.kind == TermKind::kInteger && term.poly.number() == 0);
  if (zero) {
    return std::vector<TermId>(
        parts, is_float(type) ? terms_.number(0, type) : terms_.integer(Poly(0), type));
  }
  const bool same =
      term.op == OwnOp::kBits && term.args.size() == parts &&
      std::ranges::all_of(term.args, [&](TermId part) { return terms_.at(part).type == type; });
  if (!same) {
    return fail(ErrorCode::kUnsupported, "a number of " + std::to_string(size_of(term.type)) +
                                             " bytes is written over " + std::to_string(parts) +
                                             " of " + std::to_string(size_of(type)));
  }
  return term.args;
}

}  // namespace ws::lift
