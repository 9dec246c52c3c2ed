// Pointers that are moved, and addresses in shared memory that are numbers.
//
// An address stays a pointer through sums and `^`. Its quotients, remainders and bits are those of
// its place in the array: shared memory is taken to begin at a multiple of what is asked for, as
// swizzles need it.
#include <algorithm>
#include <bit>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

/// @param type           Of the result. @param pointer_first  Whether it is the left operand.
Result<Leaf> Block::moved_pointer(COperator op, const Leaf& pointer, TermId number, TypeId type,
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

Result<Leaf> Block::address_bits(COperator op, const Leaf& pointer, TermId number, TypeId type) {
  if (object(pointer.object).kind != ObjectKind::kShared || pointer.where != kNone) {
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
