// Operators of a symbolic run.
#include "runtime/lift/symbolic/evaluator.h"

namespace ws::lift {
namespace {

/// The type that C computes in: no integers of less than 32 bits.
DType promoted(DType type) {
  constexpr std::size_t kWord = 4;
  return !is_float(type) && size_of(type) < kWord ? DType::kI32 : type;
}

}  // namespace

Result<Value> Evaluator::increment(const Node& node) {
  const bool after_use =
      node.op == COperator::kIncrementAfter || node.op == COperator::kDecrementAfter;
  WS_TRY(const ValuePlace at, pointers_.place(node.kids[0]));
  WS_TRY(const Value before, memory_.load(at));
  const std::int64_t one = step_operator(node.op) == COperator::kAdd ? 1 : -1;
  Value after = before;
  Leaf& leaf = after.leaves.front();
  if (leaf.object != kNone) {
    const TypeId target = tree_.type(at.type).element;
    leaf.offset = leaf.offset.plus(Poly(one * (target == kNone ? 1 : tree_.type(target).bytes)));
  } else {
    const DType type = scalars_.dtype_of(at.type);
    const DType wide = promoted(type);
    WS_TRY(const TermId made,
           numbers_.result(ir::Operator::kAdd, numbers_.converted(leaf.term, wide),
                           numbers_.converted(terms_.integer(Poly(one)), wide), wide));
    leaf.term = numbers_.converted(made, type);
  }
  WS_CHECK(memory_.store(at, after, node.range));
  return after_use ? before : after;
}

Result<Value> Evaluator::unary(const Node& node) {
  if (is_step(node.op)) {
    return increment(node);
  }
  WS_TRY(const TermId inner, runner_.term_of(node.kids[0]));
  const DType type = scalars_.dtype_of(node.type);
  if (node.op == COperator::kNot) {
    return one_number(node.type, numbers_.negated(numbers_.converted(inner, DType::kBool)));
  }
  if (node.op == COperator::kNegate) {
    const Term& term = terms_.at(inner);
    if (term.kind == TermKind::kNumber) {
      return one_number(node.type, terms_.number(-term.number, type));
    }
    const TermId zero = is_float(type) ? terms_.number(0, type) : terms_.integer(Poly(0), type);
    if (is_float(type)) {
      return one_number(node.type, terms_.operation(ir::Operator::kNegate, type, {inner}));
    }
    WS_TRY(const TermId made, numbers_.result(ir::Operator::kSubtract, zero, inner, type));
    return one_number(node.type, made);
  }
  return fail(ErrorCode::kUnsupported,
              "`" + operator_text(node) + "` of something that is not known");
}

Result<Value> Evaluator::logical(const Node& node) {
  WS_TRY(const TermId left_raw, runner_.term_of(node.kids[0]));
  const TermId left = numbers_.converted(left_raw, DType::kBool);
  const bool both = node.op == COperator::kAnd;
  const std::optional<Lanes> truth = numbers_.truth_of(left);
  if (truth && truth->size() == 1 && (truth->front() != 0) != both) {
    return one_number(node.type, left);
  }
  // The right side is evaluated only where the left one allows it.
  const Guards::State around = guards_.state();
  if (!truth) {
    guards_.mask(both ? left : numbers_.negated(left));
  } else if (truth->size() > 1) {
    guards_.keep(*truth, both);
  }
  const Result<TermId> right_raw = runner_.term_of(node.kids[1]);
  guards_.restore(around);
  WS_TRY(const TermId right_made, right_raw);
  const TermId right = numbers_.converted(right_made, DType::kBool);
  if (truth && truth->size() == 1) {
    return one_number(node.type, right);
  }
  return one_number(node.type, numbers_.joined(left, right, both));
}

Result<Value> Evaluator::binary(const Node& node) {
  if (node.op == COperator::kAnd || node.op == COperator::kOr) {
    return logical(node);
  }
  if (node.op == COperator::kComma) {
    WS_TRY(const Value dropped, evaluate(node.kids[0]));
    return evaluate(node.kids[1]);
  }
  WS_TRY(const Leaf left, runner_.scalar(node.kids[0]));
  WS_TRY(const Leaf right, runner_.scalar(node.kids[1]));
  if (left.object != kNone || right.object != kNone) {
    const bool first = left.object != kNone;
    WS_TRY(Leaf moved, pointers_.moved(node.op, first ? left : right, (first ? right : left).term,
                                       node.type, first));
    return Value{node.type, {std::move(moved)}};
  }
  const DType operands = scalars_.dtype_of(tree_.node(node.kids[0]).type);
  const TermOp op = term_op_of(node.op);
  WS_TRY(const TermId made,
         is_ordering(op) && Arithmetic::is_wide_unsigned(operands)
             ? numbers_.compare_unsigned(op, left.term, right.term, operands)
             : numbers_.result(op, left.term, right.term, scalars_.dtype_of(node.type)));
  return one_number(node.type, made);
}

Result<Value> Evaluator::assign(const Node& node) {
  WS_TRY(Value value, evaluate(node.kids[1]));
  WS_TRY(const ValuePlace at, pointers_.place(node.kids[0]));
  if (!is_plain_assignment(node)) {
    WS_TRY(const Value before, memory_.load(at));
    const TermOp op = term_op_of(node.op);
    if (before.leaves.size() != 1 || value.leaves.size() != 1 ||
        value.leaves.front().term == kNone) {
      return fail(ErrorCode::kUnsupported,
                  "`" + operator_text(node) + "` of something that is no number");
    }
    Leaf leaf = before.leaves.front();
    const TermId right = value.leaves.front().term;
    if (leaf.object != kNone) {
      WS_TRY(leaf, pointers_.moved(node.op, leaf, right, at.type, true));
    } else {
      // C computes in the type of both operands, to which the right one was converted, and rounds
      // what it stores.
      const DType type = scalars_.dtype_of(at.type);
      const bool shifts = node.op == COperator::kShiftLeft || node.op == COperator::kShiftRight;
      const DType given = scalars_.dtype_of(tree_.node(node.kids[1]).type);
      const bool wider = is_float(type) && (!is_float(given) || size_of(given) < size_of(type));
      const DType common = shifts || wider ? promoted(type) : promoted(given);
      WS_TRY(const TermId made, numbers_.result(op, numbers_.converted(leaf.term, common),
                                                numbers_.converted(right, common), common));
      leaf.term = numbers_.converted(made, type);
    }
    value = {at.type, {std::move(leaf)}};
  }
  WS_CHECK(memory_.store(at, value, node.range));
  value.type = at.type;
  return value;
}

}  // namespace ws::lift
