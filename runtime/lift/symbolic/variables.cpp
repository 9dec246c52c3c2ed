#include "runtime/lift/symbolic/variables.h"

#include <algorithm>

#include "runtime/lift/symbolic/bits.h"

namespace ws::lift {

Variables::Slice Variables::slice_at(const Object& variable, const Poly& offset) const {
  const std::vector<Scalar>& scalars = scalars_.of(variable.type);
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

Result<std::size_t> Variables::leaf_index(const Object& variable, const Poly& offset) {
  const std::vector<Scalar>& scalars = scalars_.of(variable.type);
  const std::optional<std::int64_t> at = offset.number();
  const auto found = !at ? scalars.end()
                         : std::lower_bound(scalars.begin(), scalars.end(), *at,
                                            [](const Scalar& row, std::int64_t wanted) {
                                              return row.offset < wanted;
                                            });
  if (found == scalars.end() || found->offset != *at) {
    return fail(ErrorCode::kUnsupported,
                "`" + variable.name + "` is indexed by something that is not known");
  }
  const auto index = static_cast<std::size_t>(found - scalars.begin());
  if (index >= variable.leaves.size()) {
    return fail(ErrorCode::kUnsupported, "`" + variable.name + "` has an unknown layout");
  }
  return index;
}

Result<Leaf> Variables::load(ObjectId id, const Poly& offset) {
  const Object& source = objects_.at(id);
  WS_TRY(const std::size_t index, leaf_index(source, offset));
  const Leaf& leaf = source.leaves[index];
  if (leaf.term == kNone && leaf.object == kNone) {
    return fail(ErrorCode::kUnsupported,
                "`" + source.name + "` is read where its value is not known");
  }
  if (mode_.by_warps) {
    reads_.note(id, leaf);
  }
  return leaf;
}

Result<Leaf> Variables::load_part(const ValuePlace& place, const Slice& slice, TypeId type) {
  const std::int64_t bytes = tree_.type(type).bytes;
  WS_TRY(const Leaf whole, load(place.object, Poly(slice.begin)));
  if (whole.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
  }
  const std::int64_t within = *place.offset.number() - slice.begin;
  const bool is_bits = terms_.at(whole.term).op == OwnOp::kBits;
  const auto count =
      is_bits ? static_cast<std::int64_t>(terms_.at(whole.term).args.size()) : slice.bytes / bytes;
  const std::int64_t each = slice.bytes / count;
  const DType wanted = scalars_.dtype_of(type);
  Result<std::vector<TermId>> parts =
      bit_parts(terms_, whole.term, static_cast<std::size_t>(count),
                is_bits ? terms_.at(terms_.at(whole.term).args.front()).type : wanted);
  const std::string& name = objects_.at(place.object).name;
  if (!parts || within % bytes != 0 || bytes % each != 0) {
    return fail(ErrorCode::kUnsupported, "`" + name + "` is read by parts of its numbers");
  }
  const auto first = parts->begin() + within / each;
  if (bytes == each) {
    return as_real(terms_, Leaf{*first, kNone, {}}, wanted, name);
  }
  return Leaf{
      terms_.operation(OwnOp::kBits, wanted, std::vector<TermId>(first, first + bytes / each)),
      kNone,
      {}};
}

Status Variables::store_part(const ValuePlace& place, const Slice& slice, TermId value,
                             const Range& range) {
  const Object& target = objects_.at(place.object);
  const std::int64_t bytes = tree_.type(place.type).bytes;
  const std::int64_t within = *place.offset.number() - slice.begin;
  const auto count = static_cast<std::size_t>(slice.bytes / bytes);
  const DType type = terms_.at(value).type;
  WS_TRY(const std::size_t index, leaf_index(target, Poly(slice.begin)));
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
          : std::vector<TermId>(count, terms_.move(type, std::vector<Ref>(terms_.lanes())));
  parts[static_cast<std::size_t>(within / bytes)] = value;
  const TermId made = terms_.operation(OwnOp::kBits, slice.type, std::move(parts));
  return store(place.object, Poly(slice.begin), {made, kNone, {}}, range);
}

Status Variables::store(ObjectId id, const Poly& offset, const Leaf& leaf, const Range& range) {
  Object& target = objects_.at(id);
  WS_TRY(const std::size_t index, leaf_index(target, offset));
  WS_TRY(target.leaves[index], merged(id, target.leaves[index], leaf));
  note_assigned(target.leaves[index].term, target.name, range);
  target.last = range;
  if (target.range.region == range.region && target.range.line > 0) {
    target.range.line = std::min(target.range.line, range.line);
    target.range.end_line = std::max(target.range.end_line, range.end_line);
  } else {
    target.range = range;
  }
  return {};
}

/// The value after a store to a scalar that holds `before`.
Result<Leaf> Variables::merged(ObjectId id, const Leaf& before, const Leaf& now) {
  const Object& target = objects_.at(id);
  if (before.term == kNone && before.object == kNone) {
    return now;
  }
  const bool all = target.active == guards_.active();
  const bool certain = target.masks >= guards_.conditions().size();
  if (mode_.by_warps && !(all && certain)) {
    reads_.note(id, before);
  }
  if (!(all && certain) && (before.term == kNone || now.term == kNone)) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` points to other things in some threads");
  }
  Leaf result = now;
  if (!all) {
    result.term = by_threads(before.term, now.term);
  }
  for (std::size_t i = target.masks; i < guards_.conditions().size(); ++i) {
    result.term = terms_.operation(ir::Op::kWhere, terms_.at(now.term).type,
                                   {guards_.conditions()[i], result.term, before.term});
  }
  return result;
}

/// `now` in the active threads, else `before`.
TermId Variables::by_threads(TermId before, TermId now) {
  const Term& a = terms_.at(now);
  const Term& b = terms_.at(before);
  if (a.kind == TermKind::kInteger && b.kind == TermKind::kInteger) {
    const Lanes& own = guards_.active();
    const Lanes others = zip_lanes(own, {1}, [](std::int64_t x, std::int64_t y) { return y - x; });
    return terms_.integer(a.poly.times(Poly(own)).plus(b.poly.times(Poly(others))), a.type);
  }
  std::vector<Ref> sources(terms_.lanes());
  for (std::size_t lane = 0; lane < sources.size(); ++lane) {
    sources[lane] = {guards_.is_active(lane) ? now : before, static_cast<std::int32_t>(lane)};
  }
  return terms_.move(a.type, std::move(sources));
}

void Variables::note_assigned(TermId term, const std::string& variable, const Range& range) {
  terms_.note_assigned(term, variable, range);
  if (reports_.is_trial() || input_.probe == 0 || range.line != input_.probe || term == kNone) {
    return;
  }
  Terms::Scope scope;
  for (const auto& [id, at] : control_.frame().variables) {
    const Object& known = objects_.at(at);
    const TermId value = known.leaves.size() == 1 ? known.leaves[0].term : kNone;
    if (value != kNone && terms_.at(value).kind == TermKind::kInteger) {
      scope.emplace_back(known.name, terms_.at(value).poly);
    }
  }
  terms_.note_scope(term, std::move(scope));
}

}  // namespace ws::lift
