#include "runtime/lift/symbolic/pointers.h"

#include <algorithm>
#include <bit>

namespace ws::lift {

Result<ValuePlace> Pointers::place(NodeId id) {
  const Node& node = tree_.node(id);
  if (node.kind == NodeKind::kVariable) {
    const ObjectId at = objects_.find(node.index);
    const Variable& variable = tree_.variable(node.index);
    if (at == kNone) {
      return fail(ErrorCode::kUnsupported, "`" + variable.name + "` is no variable of the kernel");
    }
    if (variable.reference && objects_.at(at).leaves.size() == 1 &&
        objects_.at(at).leaves.front().object != kNone &&
        objects_.at(at).leaves.front().where == kNone) {
      const Leaf& target = objects_.at(at).leaves.front();
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
    if (mode_.is_part() && objects_.at(inner.object).kind == ObjectKind::kShared) {
      return objects_.field_array(inner, type, *field);
    }
    return ValuePlace{inner.object, inner.offset.plus(Poly(field->offset)), field->type};
  }
  if (node.kind == NodeKind::kDereference || node.kind == NodeKind::kIndex) {
    WS_TRY(const Leaf base, runner_.scalar(node.kids[0]));
    if (base.object == kNone || base.where != kNone) {
      return fail(ErrorCode::kUnsupported, "a pointer to something unknown is followed");
    }
    Poly offset = base.offset;
    if (node.kind == NodeKind::kIndex) {
      WS_TRY(const TermId index, runner_.term_of(node.kids[1]));
      if (terms_.at(index).kind != TermKind::kInteger || node.type == kNone) {
        return fail(ErrorCode::kUnsupported, "an index that depends on data");
      }
      offset = offset.plus(terms_.at(index).poly, tree_.type(node.type).bytes);
    }
    return ValuePlace{base.object, std::move(offset), node.type};
  }
  return fail(ErrorCode::kUnsupported, "an expression that is no place in memory");
}

Result<Leaf> Pointers::moved(COperator op, const Leaf& pointer, TermId number, TypeId type,
                             bool pointer_first) {
  const bool adds = op == COperator::kAdd;
  const bool sum = adds || (op == COperator::kSubtract && pointer_first);
  const bool known = number != kNone && terms_.at(number).kind == TermKind::kInteger;
  const TypeId target = type == kNone ? kNone : tree_.type(type).element;
  const bool address = type != kNone && tree_.type(type).kind == TypeKind::kInt;
  if (known && address && !sum && pointer_first) {
    return address_bits(op, pointer, number, type);
  }
  if (!sum || !known || (target == kNone && !address)) {
    Node node;
    node.op = op;
    return fail(ErrorCode::kUnsupported, "`" + operator_text(node) + "` of pointers");
  }
  Leaf moved = pointer;
  const std::int64_t bytes = address ? 1 : tree_.type(target).bytes;
  moved.offset = moved.offset.plus(terms_.at(number).poly, adds ? bytes : -bytes);
  return moved;
}

Result<Leaf> Pointers::address_bits(COperator op, const Leaf& pointer, TermId number, TypeId type) {
  if (objects_.at(pointer.object).kind != ObjectKind::kShared || pointer.where != kNone) {
    return fail(ErrorCode::kUnsupported, "bits of an address that is not in shared memory");
  }
  const DType wanted = scalars_.dtype_of(type);
  if (op != COperator::kBitXor) {
    WS_TRY(const TermId made,
           numbers_.result(term_op_of(op), terms_.integer(pointer.offset, wanted), number, wanted));
    return Leaf{made, kNone, {}};
  }
  const Poly bits = terms_.at(number).poly;
  const Lanes flipped = bits.constant();
  const std::int64_t most = *std::ranges::max_element(flipped);
  const bool small = bits.is_constant() && *std::ranges::min_element(flipped) >= 0;
  const auto span =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(small ? most : 0) + 1));
  const Lanes within = pointer.offset.constant();
  if (!small || *std::ranges::min_element(within) < 0 ||
      !pointer.offset.symbolic().exact_quotient(span)) {
    return fail(ErrorCode::kUnsupported, "`^` of an address by bits that are not known");
  }
  Leaf made = pointer;
  made.offset = pointer.offset.symbolic().plus(
      Poly(zip_lanes(within, flipped, [](std::int64_t a, std::int64_t b) { return a ^ b; })));
  return made;
}

}  // namespace ws::lift
