// Expressions of a symbolic run.
#include <array>
#include <cmath>

#include "runtime/lift/symbolic/block.h"

namespace ws::lift {
namespace {

/// The type that C computes in: no integers of less than 32 bits.
DType promoted(DType type) {
  constexpr std::size_t kWord = 4;
  return !is_float(type) && size_of(type) < kWord ? DType::kI32 : type;
}

}  // namespace

Result<Value> Block::evaluate(NodeId id) {
  const Node& node = tree_.node(id);
  WS_CHECK(steps_.take());
  switch (node.kind) {
    case NodeKind::kInt:
      return single(node.type, terms_.integer(Poly(node.value), scalars_.dtype_of(node.type)));
    case NodeKind::kFloat:
      return single(
          node.type,
          terms_.number(std::isinf(node.number) && node.value < 0 ? -node.number : node.number,
                        scalars_.dtype_of(node.type)));
    case NodeKind::kBuiltin:
      return builtin(node);
    case NodeKind::kUnary:
      return unary(node);
    case NodeKind::kBinary:
      return binary(node);
    case NodeKind::kAssign:
      return assign(node);
    case NodeKind::kCall:
      return call(node);
    case NodeKind::kCast:
      return cast(node);
    case NodeKind::kSelect:
      return select(node);
    case NodeKind::kList:
      return list(node);
    case NodeKind::kAddress: {
      WS_TRY(ValuePlace at, place(node.kids[0]));
      return Value{node.type, {{kNone, at.object, std::move(at.offset)}}};
    }
    case NodeKind::kMember:
      if (tree_.node(node.kids[0]).kind == NodeKind::kCall) {
        return fail(ErrorCode::kUnsupported, "a field of a function's result");
      }
      [[fallthrough]];
    case NodeKind::kVariable:
    case NodeKind::kIndex:
    case NodeKind::kDereference: {
      WS_TRY(ValuePlace at, place(id));
      const bool array = at.type != kNone && tree_.type(at.type).kind == TypeKind::kArray;
      if (array) {  // An array as a value is a pointer to its first element.
        return Value{node.type, {{kNone, at.object, std::move(at.offset)}}};
      }
      return memory_.load(at);
    }
    case NodeKind::kBlock:
    case NodeKind::kIf:
      WS_CHECK(statement(id));
      return Value{node.type, {}};
    default:
      return fail(ErrorCode::kUnsupported, "not understood: " + node.text);
  }
}

Result<Value> Block::builtin(const Node& node) {
  const auto axis = static_cast<std::size_t>(node.value);
  if (node.builtin == Builtin::kThreadIdx) {
    Lanes lanes(lanes_);
    for (std::size_t i = 0; i < lanes_; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t row = at / input_.block[0];
      lanes[i] = axis == 0   ? at % input_.block[0]
                 : axis == 1 ? row % input_.block[1]
                             : row / input_.block[1];
    }
    Poly index(lanes);
    if (input_.warpgroup && axis == 0) {
      index = index.plus(Poly::of(*input_.warpgroup), input_.block[0]);
    }
    return single(node.type, terms_.integer(std::move(index), DType::kU32));
  }
  if (node.builtin == Builtin::kBlockDim) {
    return single(node.type, terms_.integer(Poly(input_.block[axis]), DType::kU32));
  }
  const std::string& grid = input_.grid[axis];
  const bool fixed = grid.find_first_not_of("0123456789") == std::string::npos && grid.size() < 10;
  if (node.builtin == Builtin::kGridDim && fixed) {
    return single(node.type, terms_.integer(Poly(std::stoll(grid)), DType::kU32));
  }
  if (node.builtin == Builtin::kBlockIdx && grid == "1") {
    return single(node.type, terms_.integer(Poly(0), DType::kU32));
  }
  return single(node.type,
                terms_.integer(Poly::of(symbols_.intern(builtin_text(node))), DType::kU32));
}

Result<Value> Block::increment(const Node& node) {
  const bool after_use =
      node.op == COperator::kIncrementAfter || node.op == COperator::kDecrementAfter;
  WS_TRY(const ValuePlace at, place(node.kids[0]));
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

Result<Value> Block::unary(const Node& node) {
  if (is_step(node.op)) {
    return increment(node);
  }
  WS_TRY(const TermId inner, term_of(node.kids[0]));
  const DType type = scalars_.dtype_of(node.type);
  if (node.op == COperator::kNot) {
    return single(node.type, numbers_.negated(numbers_.converted(inner, DType::kBool)));
  }
  if (node.op == COperator::kNegate) {
    const Term& term = terms_.at(inner);
    if (term.kind == TermKind::kNumber) {
      return single(node.type, terms_.number(-term.number, type));
    }
    const TermId zero = is_float(type) ? terms_.number(0, type) : terms_.integer(Poly(0), type);
    if (is_float(type)) {
      return single(node.type, terms_.operation(ir::Operator::kNegate, type, {inner}));
    }
    WS_TRY(const TermId made, numbers_.result(ir::Operator::kSubtract, zero, inner, type));
    return single(node.type, made);
  }
  return fail(ErrorCode::kUnsupported,
              "`" + operator_text(node) + "` of something that is not known");
}

Result<Value> Block::logical(const Node& node) {
  WS_TRY(const TermId left_raw, term_of(node.kids[0]));
  const TermId left = numbers_.converted(left_raw, DType::kBool);
  const bool both = node.op == COperator::kAnd;
  const std::optional<Lanes> truth = numbers_.truth_of(left);
  if (truth && truth->size() == 1 && (truth->front() != 0) != both) {
    return single(node.type, left);
  }
  // The right side is evaluated only where the left one allows it.
  const Guards::State around = guards_.state();
  if (!truth) {
    guards_.mask(both ? left : numbers_.negated(left));
  } else if (truth->size() > 1) {
    guards_.keep(*truth, both);
  }
  const Result<TermId> right_raw = term_of(node.kids[1]);
  guards_.restore(around);
  WS_TRY(const TermId right_made, right_raw);
  const TermId right = numbers_.converted(right_made, DType::kBool);
  if (truth && truth->size() == 1) {
    return single(node.type, right);
  }
  return single(node.type, numbers_.joined(left, right, both));
}

Result<Value> Block::binary(const Node& node) {
  if (node.op == COperator::kAnd || node.op == COperator::kOr) {
    return logical(node);
  }
  if (node.op == COperator::kComma) {
    WS_TRY(const Value dropped, evaluate(node.kids[0]));
    return evaluate(node.kids[1]);
  }
  WS_TRY(const Leaf left, scalar(node.kids[0]));
  WS_TRY(const Leaf right, scalar(node.kids[1]));
  if (left.object != kNone || right.object != kNone) {
    const bool first = left.object != kNone;
    WS_TRY(Leaf moved, moved_pointer(node.op, first ? left : right, (first ? right : left).term,
                                     node.type, first));
    return Value{node.type, {std::move(moved)}};
  }
  const DType operands = scalars_.dtype_of(tree_.node(node.kids[0]).type);
  const TermOp op = term_op_of(node.op);
  WS_TRY(const TermId made,
         is_ordering(op) && Arithmetic::is_wide_unsigned(operands)
             ? numbers_.compare_unsigned(op, left.term, right.term, operands)
             : numbers_.result(op, left.term, right.term, scalars_.dtype_of(node.type)));
  return single(node.type, made);
}

Result<Value> Block::assign(const Node& node) {
  WS_TRY(Value value, evaluate(node.kids[1]));
  WS_TRY(const ValuePlace at, place(node.kids[0]));
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
      WS_TRY(leaf, moved_pointer(node.op, leaf, right, at.type, true));
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

Result<Value> Block::cast(const Node& node) {
  WS_TRY(Value value, evaluate(node.kids[0]));
  const bool pointer = node.type != kNone && tree_.type(node.type).kind == TypeKind::kPointer;
  if (value.leaves.size() != 1 || node.type == kNone) {
    return value;
  }
  Leaf& leaf = value.leaves.front();
  if (leaf.object != kNone) {
    // An address in shared memory may be a number: it stays a pointer here.
    const bool address =
        mode_.has_addresses() && objects_.at(leaf.object).kind == ObjectKind::kShared;
    if (!pointer && !address) {
      return fail(ErrorCode::kUnsupported, "a pointer becomes a number");
    }
    value.type = node.type;
    return value;
  }
  if (leaf.term == kNone) {
    return fail(ErrorCode::kUnsupported, "a value is used that is not known");
  }
  const TypeKind kind = tree_.type(node.type).kind;
  const DType from = scalars_.dtype_of(tree_.node(node.kids[0]).type);
  const DType to = scalars_.dtype_of(node.type);
  if (kind == TypeKind::kFloat || size_of(to) > size_of(from)) {
    WS_TRY(leaf.term, numbers_.as_unsigned(leaf.term, from, to));
  }
  if (kind == TypeKind::kInt || kind == TypeKind::kFloat) {
    leaf.term = numbers_.converted(leaf.term, to);
  }
  value.type = node.type;
  return value;
}

Result<Value> Block::select(const Node& node) {
  WS_TRY(const TermId raw, term_of(node.kids[0]));
  const TermId condition = numbers_.converted(raw, DType::kBool);
  const bool nothing = node.type == kNone || tree_.type(node.type).kind == TypeKind::kVoid;
  if (nothing) {
    return Value{node.type, {}};  // An assertion.
  }
  const std::optional<Lanes> truth = numbers_.truth_of(condition);
  if (truth && truth->size() == 1) {
    return evaluate(node.kids[truth->front() != 0 ? 1 : 2]);
  }
  std::array<Leaf, 2> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Guards::State around = guards_.state();
    if (truth) {
      guards_.keep(*truth, i == 0);
    } else {
      guards_.mask(i == 0 ? condition : numbers_.negated(condition));
    }
    Result<Leaf> side = scalar(node.kids[i + 1]);
    guards_.restore(around);
    WS_TRY(sides[i], std::move(side));
  }
  const bool plain = sides[0].where == kNone && sides[1].where == kNone;
  if (sides[0].object != kNone && sides[1].object != kNone && !truth && plain) {
    sides[0].where = condition;
    return Value{node.type, {std::move(sides[0])}};
  }
  if (sides[0].term == kNone || sides[1].term == kNone) {
    return fail(ErrorCode::kUnsupported, "a pointer is used as a number");
  }
  const DType type = scalars_.dtype_of(node.type);
  if (const auto made = numbers_.chosen(condition, sides[0].term, sides[1].term, type)) {
    return single(node.type, *made);
  }
  return single(node.type,
                terms_.operation(ir::Op::kWhere, type, {condition, sides[0].term, sides[1].term}));
}

Status Block::fill(TypeId type, NodeId id, std::vector<Leaf>& leaves) {
  const Node& node = tree_.node(id);
  if (node.kind != NodeKind::kList) {
    WS_TRY(Value value, evaluate(id));
    leaves.insert(leaves.end(), value.leaves.begin(), value.leaves.end());
    return {};
  }
  const std::size_t first = leaves.size();
  const bool array = type != kNone && tree_.type(type).kind == TypeKind::kArray;
  const bool plain = type != kNone && !array && tree_.type(type).fields.empty();
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const TypeId part = array   ? tree_.type(type).element
                        : plain ? type
                        : type != kNone && i < tree_.type(type).fields.size()
                            ? tree_.type(type).fields[i].type
                            : kNone;
    WS_CHECK(fill(part, node.kids[i], leaves));
  }
  const std::vector<Scalar>& scalars = scalars_.of(type);
  for (std::size_t i = leaves.size() - first; i < scalars.size(); ++i) {
    const DType scalar_type = scalars_.dtype_of(scalars[i].type);
    Leaf zero;
    if (node.value == 0) {
      zero.term = is_float(scalar_type) ? terms_.number(0, scalar_type)
                                        : terms_.integer(Poly(0), scalar_type);
    }
    leaves.push_back(std::move(zero));
  }
  return {};
}

Result<Value> Block::list(const Node& node) {
  Value value{node.type, {}};
  WS_CHECK(fill(node.type, static_cast<NodeId>(&node - tree_.nodes.data()), value.leaves));
  return value;
}

}  // namespace ws::lift
