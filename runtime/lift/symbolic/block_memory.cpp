// Variables, tensors and shared memory of a symbolic run.
#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/bits.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

ObjectId Block::object_of(VariableId id) {
  if (const auto shared = shared_.find(id); shared != shared_.end()) {
    return shared->second;
  }
  return control_.find(id);
}

Result<ValuePlace> Block::place(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kVariable) {
    const ObjectId at = object_of(node.index);
    const Variable& variable = tree_.variable(node.index);
    if (at == kNone) {
      return fail(ErrorCode::kUnsupported, "`" + variable.name + "` is no variable of the kernel");
    }
    if (variable.reference && object(at).leaves.size() == 1 &&
        object(at).leaves.front().object != kNone && object(at).leaves.front().where == kNone) {
      const Leaf& target = object(at).leaves.front();
      return ValuePlace{target.object, target.offset, variable.type};
    }
    return ValuePlace{at, {}, variable.type};
  }
  if (node.kind == NodeKind::kMember) {
    WS_TRY(ValuePlace inner, place(node.kids[0]));
    const Type& type = tree_.type(inner.type);
    const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                    [&](const Field& row) { return row.name == node.text; });
    if (inner.type == kNone || field == type.fields.end()) {
      return fail(ErrorCode::kUnsupported, "`." + node.text + "` is no field of a plain struct");
    }
    if (mode_.is_part() && object(inner.object).kind == ObjectKind::kShared) {
      return array_place(inner, type, *field);
    }
    return ValuePlace{inner.object, inner.offset.plus(Poly(field->offset)), field->type};
  }
  if (node.kind == NodeKind::kDereference || node.kind == NodeKind::kIndex) {
    WS_TRY(const Leaf base, scalar(node.kids[0]));
    if (base.object == kNone || base.where != kNone) {
      return fail(ErrorCode::kUnsupported, "a pointer to something unknown is followed");
    }
    Poly offset = base.offset;
    if (node.kind == NodeKind::kIndex) {
      WS_TRY(const TermId index, term_of(node.kids[1]));
      if (terms_.at(index).kind != TermKind::kInteger || node.type == kNone) {
        return fail(ErrorCode::kUnsupported, "an index that depends on data");
      }
      offset = offset.plus(terms_.at(index).poly, tree_.type(node.type).bytes);
    }
    return ValuePlace{base.object, std::move(offset), node.type};
  }
  return fail(ErrorCode::kUnsupported, "an expression that is no place in memory");
}

Result<Poly> Block::element_offset(const Object& target, const Poly& bytes, std::int64_t size) {
  if (size != static_cast<std::int64_t>(size_of(target.element))) {
    return fail(ErrorCode::kUnsupported, "`" + target.name + "` is accessed by " +
                                             std::to_string(size) + " bytes, its elements have " +
                                             std::to_string(size_of(target.element)));
  }
  const std::optional<Poly> exact = bytes.exact_quotient(size);
  if (exact) {
    return *exact;
  }
  const std::optional<Poly> elements = bytes.divided(size);
  if (!elements) {
    return fail(ErrorCode::kUnsupported, "`" + target.name + "` is accessed between two elements");
  }
  return *elements;
}

Result<std::size_t> Block::leaf_index(const Object& target, const Poly& offset) {
  const std::vector<Scalar>& scalars = scalars_.of(target.type);
  const std::optional<std::int64_t> at = offset.number();
  const auto found = !at ? scalars.end()
                         : std::lower_bound(scalars.begin(), scalars.end(), *at,
                                            [](const Scalar& row, std::int64_t wanted) {
                                              return row.offset < wanted;
                                            });
  if (found == scalars.end() || found->offset != *at) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` is indexed by something that is not known");
  }
  const auto index = static_cast<std::size_t>(found - scalars.begin());
  if (index >= target.leaves.size()) {
    return fail(ErrorCode::kUnsupported, "`" + target.name + "` has an unknown layout");
  }
  return index;
}

Result<Value> Block::load(const ValuePlace& place) {
  Value value{place.type, {}};
  for (const Scalar& row : scalars_.of(place.type)) {
    WS_TRY(Leaf leaf,
           load_scalar({place.object, place.offset.plus(Poly(row.offset)), row.type}, row));
    value.leaves.push_back(std::move(leaf));
  }
  return value;
}

Result<Leaf> Block::load_scalar(const ValuePlace& place, const Scalar& row) {
  WS_CHECK(steps_.take());
  const std::int64_t bytes = tree_.type(row.type).bytes;
  const Element element = element_at(object(place.object), place.offset);
  if (element.bytes > 0 && bytes > element.bytes && bytes % element.bytes == 0) {
    return load_bits(place, element, row.type);
  }
  if (bytes > 0 && bytes < element.bytes && object(place.object).kind == ObjectKind::kLocal) {
    return load_part(place, element, row.type);
  }
  WS_TRY(const Leaf leaf, load_element(place.object, place.offset, bytes));
  return as_real(terms_, leaf, scalars_.dtype_of(row.type), object(place.object).name);
}

/// @param at  In bytes.
Result<Leaf> Block::load_element(ObjectId id, const Poly& at, std::int64_t bytes) {
  Object& source = object(id);
  if (source.kind == ObjectKind::kLocal) {
    WS_TRY(const std::size_t index, leaf_index(source, at));
    const Leaf& leaf = source.leaves[index];
    if (leaf.term == kNone && leaf.object == kNone) {
      return fail(ErrorCode::kUnsupported,
                  "`" + source.name + "` is read where its value is not known");
    }
    if (mode_.by_warps) {
      round_reads_.note(id, leaf);
    }
    return leaf;
  }
  WS_TRY(Poly offset, element_offset(source, at, bytes));
  if (source.kind == ObjectKind::kShared) {
    return load_shared(source, offset);
  }
  for (std::size_t lane = 0; lane < lanes_ && !source.written.empty(); ++lane) {
    if (guards_.is_active(lane) && source.written.contains(hash_of(offset, lane))) {
      return fail(ErrorCode::kUnsupported, "`" + source.name + "` is read after it was written");
    }
  }
  if (!rounds_running_.empty()) {
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

Result<Leaf> Block::load_shared(Object& source, const Poly& offset) {
  if (mode_.is_part()) {
    return fail(ErrorCode::kUnsupported, "`" + source.name + "` is read by threads");
  }
  return shared_memory_.load(source, offset);
}

Status Block::store(const ValuePlace& place, const Value& value, const Range& range) {
  const std::vector<Scalar>& scalars = scalars_.of(place.type);
  if (scalars.size() != value.leaves.size()) {
    return fail(ErrorCode::kUnsupported, "a value is written to a place of another form");
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ValuePlace part{place.object, place.offset.plus(Poly(scalars[i].offset)),
                          scalars[i].type};
    WS_CHECK(store_scalar(part, scalars[i], value.leaves[i], range));
  }
  return {};
}

Status Block::store_scalar(const ValuePlace& place, const Scalar& row, const Leaf& leaf,
                           const Range& range) {
  WS_CHECK(steps_.take());
  const std::int64_t bytes = tree_.type(row.type).bytes;
  const Element element = element_at(object(place.object), place.offset);
  const bool wide = element.bytes > 0 && bytes > element.bytes && bytes % element.bytes == 0;
  const bool part = bytes > 0 && bytes < element.bytes && element.bytes % bytes == 0 &&
                    object(place.object).kind == ObjectKind::kLocal;
  if (part && leaf.term != kNone) {
    return store_part(place, element, leaf.term, range);
  }
  if (!wide || leaf.term == kNone) {
    return store_element(place.object, place.offset, bytes, leaf, range);
  }
  const auto count = static_cast<std::size_t>(bytes / element.bytes);
  WS_TRY(const std::vector<TermId> parts, bit_parts(terms_, leaf.term, count, element.type));
  for (std::size_t i = 0; i < count; ++i) {
    const Poly offset = place.offset.plus(Poly(static_cast<std::int64_t>(i) * element.bytes));
    WS_CHECK(store_element(place.object, offset, element.bytes, {parts[i], kNone, {}}, range));
  }
  return {};
}

/// @param at  In bytes.
Status Block::store_element(ObjectId id, const Poly& at, std::int64_t bytes, const Leaf& leaf,
                            const Range& range) {
  Object& target = object(id);
  if (target.kind == ObjectKind::kLocal) {
    return store_local(target, at, leaf, range);
  }
  if (leaf.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is written to memory");
  }
  WS_TRY(const Poly offset, element_offset(target, at, bytes));
  if (target.kind == ObjectKind::kShared) {
    return store_shared(id, offset, leaf.term, range);
  }
  return add_store(id, offset, leaf.term, range, "");
}

Result<Leaf> Block::merged(const Leaf& before, const Leaf& now, const Object& target) {
  if (before.term == kNone && before.object == kNone) {
    return now;
  }
  Leaf result = now;
  const bool terms = before.term != kNone && now.term != kNone;
  const bool some = target.active != guards_.active() || target.masks < guards_.conditions().size();
  if (some && mode_.by_warps) {
    round_reads_.note(static_cast<ObjectId>(&target - objects_.data()), before);
  }
  if (target.active != guards_.active()) {
    const Lanes other =
        zip_lanes(guards_.active(), {1}, [](std::int64_t a, std::int64_t b) { return b - a; });
    const auto either = [&](const Poly& a, const Poly& b) {
      return a.times(Poly(guards_.active())).plus(b.times(Poly(other)));
    };
    if (!terms) {
      return fail(ErrorCode::kUnsupported,
                  "`" + target.name + "` points to other things in some threads");
    }
    const Term& a = terms_.at(now.term);
    const Term& b = terms_.at(before.term);
    if (a.kind == TermKind::kInteger && b.kind == TermKind::kInteger) {
      result.term = terms_.integer(either(a.poly, b.poly), a.type);
    } else {
      std::vector<Ref> sources(lanes_);
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        sources[lane] = {guards_.is_active(lane) ? now.term : before.term,
                         static_cast<std::int32_t>(lane)};
      }
      result.term = terms_.move(a.type, std::move(sources));
    }
  }
  for (std::size_t i = target.masks; i < guards_.conditions().size(); ++i) {
    if (!terms) {
      return fail(ErrorCode::kUnsupported,
                  "`" + target.name + "` points to other things in some threads");
    }
    result.term = terms_.operation(ir::Op::kWhere, terms_.at(now.term).type,
                                   {guards_.conditions()[i], result.term, before.term});
  }
  return result;
}

void Block::note_assigned(TermId term, const std::string& variable, const Range& range) {
  terms_.note_assigned(term, variable, range);
  if (reports_.is_trial() || input_.probe == 0 || range.line != input_.probe || term == kNone) {
    return;
  }
  Terms::Scope scope;
  for (const auto& [id, at] : control_.frame().variables) {
    const Object& known = object(at);
    const TermId value = known.leaves.size() == 1 ? known.leaves[0].term : kNone;
    if (value != kNone && terms_.at(value).kind == TermKind::kInteger) {
      scope.emplace_back(known.name, terms_.at(value).poly);
    }
  }
  terms_.note_scope(term, std::move(scope));
}

Status Block::store_local(Object& target, const Poly& offset, const Leaf& leaf,
                          const Range& range) {
  WS_TRY(const std::size_t index, leaf_index(target, offset));
  WS_TRY(target.leaves[index], merged(target.leaves[index], leaf, target));
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

Status Block::add_store(ObjectId id, const Poly& offset, TermId value, const Range& range,
                        const std::string& atomic) {
  Object& target = object(id);
  for (std::size_t lane = 0; lane < lanes_ && target.kind == ObjectKind::kTensor; ++lane) {
    if (guards_.is_active(lane)) {
      target.written.insert(hash_of(offset, lane));
    }
  }
  if (!rounds_running_.empty() && target.kind == ObjectKind::kTensor) {
    target.written_in_loop.push_back(offset);
  }
  pending_.add(id, offset, value, range, atomic);
  return {};
}

}  // namespace ws::lift
