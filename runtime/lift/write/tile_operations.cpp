// Operations and choices, element by element.
#include <algorithm>
#include <cmath>

#include "runtime/lift/write/tile_expressions.h"

namespace ws::lift {
namespace {

/// Conditions of whole tiles are joined element by element.
TermOp by_element(TermOp op) {
  return op == ir::Operator::kAnd  ? ir::Operator::kBitAnd
         : op == ir::Operator::kOr ? ir::Operator::kBitOr
                                   : op;
}

}  // namespace

Result<TileExpr> TileExpressions::operation(const Tile& tile) {
  const Term& term = terms_.at(tile.points[0].term);
  const TermOp op = term.op;
  if (op == ir::Op::kWhere) {
    return choice(tile);
  }
  if (is_matrix_product(term)) {
    return products_.product(tile);
  }
  if (is_associative(op) && !is_rounded_sum(term)) {
    return sums_.reduction(tile, op);
  }
  if (op.text().empty()) {
    return fail(ErrorCode::kUnsupported, "bits that are only copied are used as a number");
  }
  const bool two = term.args.size() == 2;
  WS_TRY(const TileExpr left, expression(operand(tile, 0)));
  if (!two) {
    return converted(term, left);
  }
  WS_TRY(const TileExpr right, expression(operand(tile, 1)));
  return joined(tree_, by_element(op), left, right);
}

/// An operation of one operand.
TileExpr TileExpressions::converted(const Term& term, TileExpr operand) {
  const bool number = operand.number;
  TileExpr made = std::move(operand);
  made.name = false;
  made.zero = false;
  made.factors.reset();
  const std::optional<ir::Operator> infix = term.op.infix();
  if (term.op == ir::Op::kCast && number) {
    const ir::Op converts = is_float(term.type) ? ir::Op::kFloat : ir::Op::kInt;
    made.expr = is_rounded(term) ? made.expr : tree_.call(converts, {made.expr});
  } else if (term.op == ir::Op::kCast) {
    made.expr = tree_.call(ir::Op::kCast, {made.expr, type_expr(tree_, term.type)});
  } else if (term.op == ir::Operator::kNot) {
    made.expr = tree_.binary(ir::Operator::kEqual, made.expr, tree_.integer(0));
  } else {
    made.expr =
        infix ? tree_.unary(*infix, made.expr) : tree_.call(term.op.function(), {made.expr});
  }
  return made;
}

/// A choice between a load and padding is a padded load, where the condition is the tensor's edge.
/// Nothing: it is none.
std::optional<TileExpr> TileExpressions::padded_load(const Tile& tile) {
  Tile chosen = operand(tile, 1);
  const Tile instead = operand(tile, 2);
  bool padded = true;
  double padding = 0;
  std::set<std::size_t> edges;
  for (std::size_t i = 0; i < tile.points.size() && padded; ++i) {
    chosen.points[i] = terms_.resolve(chosen.points[i]);
    const Term& value = terms_.at(chosen.points[i].term);
    const Term& other = terms_.at(terms_.resolve(instead.points[i]).term);
    padding = i == 0 ? other.number : padding;
    padded = value.kind == TermKind::kLoad && other.kind == TermKind::kNumber &&
             object(value.object).kind == ObjectKind::kTensor && other.number == padding;
    if (!padded) {
      break;
    }
    const TensorInput& tensor = input_.tensors[object(value.object).tensor];
    const auto index = tiles_.coordinates(tensor, value.poly);
    std::vector<Ref> atoms;
    padded = index &&
             terms_.flatten({terms_.at(tile.points[i].term).args[0], 0}, ir::Operator::kAnd, 16,
                            atoms) &&
             std::all_of(atoms.begin(), atoms.end(), [&](const Ref& atom) {
               const auto dim = tiles_.edge_of(atom.term, *index, tensor);
               if (dim) {
                 edges.insert(*dim);
               }
               return dim.has_value();
             });
  }
  const Padding pad = padding == 0                         ? Padding::kZero
                      : padding == 1                       ? Padding::kOne
                      : padding < 0 && std::isinf(padding) ? Padding::kLowest
                                                           : Padding::kUnpadded;
  if (padded && pad != Padding::kUnpadded) {
    tiles_.shrink(chosen);
    if (Result<TileExpr> made = reads_.load(chosen, pad, edges)) {
      return *std::move(made);
    }
  }
  return std::nullopt;
}

Result<TileExpr> TileExpressions::choice(const Tile& tile) {
  if (std::optional<TileExpr> made = padded_load(tile)) {
    return *std::move(made);
  }
  WS_TRY(const TileExpr condition, expression(operand(tile, 0)));
  WS_TRY(TileExpr yes, expression(operand(tile, 1)));
  WS_TRY(const TileExpr no, expression(operand(tile, 2)));
  const DType type = terms_.at(tile.points[0].term).type;
  const bool usual = type == DType::kF32 || type == DType::kI32 || type == DType::kBool;
  if (!condition.number && yes.number && no.number && !usual) {
    yes = whole(std::move(yes), 1, 1);  // A choice of numbers has none of the other types.
  }
  TileExpr made;
  made.expr = tree_.call(ir::Op::kWhere, {condition.expr, yes.expr, no.expr});
  made.rows = std::max({condition.rows, yes.rows, no.rows});
  made.cols = std::max({condition.cols, yes.cols, no.cols});
  made.number = condition.number && yes.number && no.number;
  return made;
}

}  // namespace ws::lift
