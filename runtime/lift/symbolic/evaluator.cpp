#include "runtime/lift/symbolic/evaluator.h"

#include <array>

namespace ws::lift {

Result<Value> Evaluator::evaluate(NodeId id) {
  const Node& node = tree_.node(id);
  WS_CHECK(steps_.take());
  switch (node.kind) {
    case NodeKind::kInt:
      return one_number(node.type, terms_.integer(Poly(node.value), scalars_.dtype_of(node.type)));
    case NodeKind::kFloat:
      return one_number(node.type, terms_.number(node.number, scalars_.dtype_of(node.type)));
    case NodeKind::kBuiltin:
      return builtin(node);
    case NodeKind::kUnary:
      return unary(node);
    case NodeKind::kBinary:
      return binary(node);
    case NodeKind::kAssign:
      return assign(node);
    case NodeKind::kCall:
      return calls_.run(node);
    case NodeKind::kCast:
      return cast(node);
    case NodeKind::kSelect:
      return select(node);
    case NodeKind::kList:
      return list(node);
    case NodeKind::kAddress: {
      WS_TRY(ValuePlace at, pointers_.place(node.kids[0]));
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
      WS_TRY(ValuePlace at, pointers_.place(id));
      const bool array = at.type != kNone && tree_.type(at.type).kind == TypeKind::kArray;
      if (array) {  // An array as a value is a pointer to its first element.
        return Value{node.type, {{kNone, at.object, std::move(at.offset)}}};
      }
      return memory_.load(at);
    }
    case NodeKind::kBlock:
    case NodeKind::kIf:
      WS_CHECK(runner_.statement(id));
      return Value{node.type, {}};
    default:
      return fail(ErrorCode::kUnsupported, "not understood: " + node.text);
  }
}

Result<Value> Evaluator::builtin(const Node& node) {
  const auto axis = static_cast<std::size_t>(node.value);
  if (node.builtin == Builtin::kThreadIdx) {
    Lanes lanes(terms_.lanes());
    for (std::size_t i = 0; i < terms_.lanes(); ++i) {
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
    return one_number(node.type, terms_.integer(std::move(index), DType::kU32));
  }
  if (node.builtin == Builtin::kBlockDim) {
    return one_number(node.type, terms_.integer(Poly(input_.block[axis]), DType::kU32));
  }
  const std::string& grid = input_.grid[axis];
  const bool fixed = grid.find_first_not_of("0123456789") == std::string::npos && grid.size() < 10;
  if (node.builtin == Builtin::kGridDim && fixed) {
    return one_number(node.type, terms_.integer(Poly(std::stoll(grid)), DType::kU32));
  }
  if (node.builtin == Builtin::kBlockIdx && grid == "1") {
    return one_number(node.type, terms_.integer(Poly(0), DType::kU32));
  }
  return one_number(node.type,
                    terms_.integer(Poly::of(symbols_.intern(builtin_text(node))), DType::kU32));
}

Result<Value> Evaluator::cast(const Node& node) {
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

Result<Value> Evaluator::select(const Node& node) {
  WS_TRY(const TermId raw, runner_.term_of(node.kids[0]));
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
    Result<Leaf> side = runner_.scalar(node.kids[i + 1]);
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
    return one_number(node.type, *made);
  }
  return one_number(
      node.type, terms_.operation(ir::Op::kWhere, type, {condition, sides[0].term, sides[1].term}));
}

Status Evaluator::fill(TypeId type, NodeId id, std::vector<Leaf>& leaves) {
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

Result<Value> Evaluator::list(const Node& node) {
  Value value{node.type, {}};
  WS_CHECK(fill(node.type, static_cast<NodeId>(&node - tree_.nodes.data()), value.leaves));
  return value;
}

}  // namespace ws::lift
