// Expressions of tiles: every element must be computed in the same way.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

constexpr int kMaxExpressionDepth = 300;
/// Bytes of one expression.
constexpr std::size_t kMaxText = std::size_t{1} << 18U;

/// Conditions of whole tiles are joined element by element.
TermOp by_element(TermOp op) {
  return op == ir::Operator::kAnd  ? ir::Operator::kBitAnd
         : op == ir::Operator::kOr ? ir::Operator::kBitOr
                                   : op;
}

bool is_half(DType type) {
  return type == DType::kF16 || type == DType::kBf16;
}

}  // namespace

/// Whether the kernel rounds or cuts this value, and CuIR would not if it is a number, which has 64
/// bits: all that is computed in halves, and what is converted to fewer bits.
bool Writer::is_rounded(const Term& term) const {
  if (term.kind != TermKind::kOperation) {
    return term.kind == TermKind::kArgument && is_half(term.type);
  }
  constexpr std::size_t kWord = 4;
  const bool casts = term.op == ir::Op::kCast;
  const bool narrow = !is_float(term.type) && size_of(term.type) < kWord;
  const bool single =
      term.type == DType::kF32 && casts && terms_.at(term.args[0]).type == DType::kF64;
  return (is_half(term.type) && term.op != ir::Op::kWhere) || single || (casts && narrow);
}

TileExpr Writer::joined(TermOp op, const TileExpr& left, const TileExpr& right) {
  TileExpr made;
  const std::optional<ir::Operator> infix = op.infix();
  made.expr = infix ? tree_.binary(*infix, left.expr, right.expr)
                    : tree_.call(op.function(), {left.expr, right.expr});
  made.rows = std::max(left.rows, right.rows);
  made.cols = std::max(left.cols, right.cols);
  made.number = left.number && right.number;
  made.type = left.type;
  return made;
}

Tile Writer::operand(const Tile& tile, std::size_t index) const {
  Tile made{tile.rows, tile.cols, {}};
  made.points.reserve(tile.points.size());
  for (const Ref& point : tile.points) {
    made.points.push_back({terms_.at(point.term).args[index], point.lane});
  }
  return made;
}

Result<TileExpr> Writer::expression(Tile tile) {
  WS_CHECK(input_.time_budget.left());
  if (depth_ > kMaxExpressionDepth || tile.points.size() > kMaxElements) {
    return fail(ErrorCode::kUnsupported, "an expression that is too large");
  }
  for (Ref& point : tile.points) {
    point = terms_.resolve(point);
    if (point.term == kNone) {
      return fail(ErrorCode::kUnsupported, "a value that some threads do not have");
    }
  }
  tiles_.shrink(tile);
  const Term& first = terms_.at(tile.points[0].term);
  const bool alike = std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    const Term& term = terms_.at(point.term);
    return term.kind == first.kind && term.op == first.op && term.name == first.name &&
           term.type == first.type && term.object == first.object &&
           term.version == first.version && term.args.size() == first.args.size();
  });
  if (!alike) {
    return fail(ErrorCode::kUnsupported, "elements of a tile that are computed in different ways");
  }
  const bool top = std::exchange(top_, false);
  if (std::optional<TileExpr> variable =
          first.kind == TermKind::kOperation ? held(tile) : std::nullopt) {
    return *std::move(variable);
  }
  if (is_assigned(tile)) {
    note_indices(tile);
    if (!top || hoisted_.contains(tile_hash(tile))) {
      return named(tile);
    }
    widen(open_.back(), first.assigned);
  }
  return built(tile);
}

/// The expression of a tile whose elements are all alike.
Result<TileExpr> Writer::built(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const DType type = first.type;
  ++depth_;
  Result<TileExpr> made = [&]() -> Result<TileExpr> {
    switch (first.kind) {
      case TermKind::kNumber:
        return number_term(tile);
      case TermKind::kInteger: {
        std::vector<const Poly*> polys;
        for (const Ref& point : tile.points) {
          polys.push_back(&terms_.at(point.term).poly);
        }
        return numbers_.integer(tile, polys, type);
      }
      case TermKind::kArgument: {
        TileExpr text;
        text.expr = tree_.parsed(first.name);
        text.number = true;
        return text;
      }
      case TermKind::kLoad:
        return load(tile, Padding::kUnpadded);
      case TermKind::kCarried:
        return carried(tile);
      case TermKind::kOperation:
        return operation(tile);
      case TermKind::kMove:
        break;
    }
    return fail(ErrorCode::kInternal, "a value that was not followed");
  }();
  --depth_;
  if (!made) {
    return made;
  }
  WS_CHECK(ir::TreeBuilder::check(made->expr));
  if (tree_.bytes(made->expr) > kMaxText) {
    return fail(ErrorCode::kUnsupported, "an expression that is too large");
  }
  made->type = type;
  if (made->number && is_rounded(first)) {
    made->expr = tree_.call(ir::Op::kCast, {made->expr, type_expr(tree_, type)});
    made->name = false;
  }
  return made;
}

Result<TileExpr> Writer::operation(const Tile& tile) {
  const Term& term = terms_.at(tile.points[0].term);
  const TermOp op = term.op;
  const std::size_t count = term.args.size();
  const DType type = term.type;
  if (op == ir::Op::kWhere) {
    return choice(tile);
  }
  if (is_matrix_product(term)) {
    return matrix_product(tile);
  }
  if (is_associative(op) && !is_rounded_sum(term)) {
    return reduction(tile, op);
  }
  if (op.text().empty()) {
    return fail(ErrorCode::kUnsupported, "bits that are only copied are used as a number");
  }
  WS_TRY(const TileExpr left, expression(operand(tile, 0)));
  if (count == 2) {
    WS_TRY(const TileExpr right, expression(operand(tile, 1)));
    return joined(by_element(op), left, right);
  }
  TileExpr made = left;
  made.name = false;
  made.zero = false;
  made.factors.reset();
  const std::optional<ir::Operator> infix = op.infix();
  if (op == ir::Op::kCast && left.number) {
    const ir::Op converts = is_float(type) ? ir::Op::kFloat : ir::Op::kInt;
    made.expr = is_rounded(term) ? left.expr : tree_.call(converts, {left.expr});
  } else if (op == ir::Op::kCast) {
    made.expr = tree_.call(ir::Op::kCast, {left.expr, type_expr(tree_, type)});
  } else if (op == ir::Operator::kNot) {
    made.expr = tree_.binary(ir::Operator::kEqual, left.expr, tree_.integer(0));
  } else {
    made.expr = infix ? tree_.unary(*infix, left.expr) : tree_.call(op.function(), {left.expr});
  }
  return made;
}

/// A choice between a load and padding is a padded load, where the condition is the tensor's edge.
Result<TileExpr> Writer::choice(const Tile& tile) {
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
    if (Result<TileExpr> made = load(chosen, pad, edges)) {
      return made;
    }
  }
  WS_TRY(const TileExpr condition, expression(operand(tile, 0)));
  WS_TRY(TileExpr yes, expression(operand(tile, 1)));
  WS_TRY(const TileExpr no, expression(instead));
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

Result<TileExpr> Writer::number_term(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const bool same = std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    return terms_.at(point.term).number == first.number;
  });
  return same ? numbers_.real(first.number, first.type)
              : fail(ErrorCode::kUnsupported, "constants that differ from element to element");
}

Result<TileExpr> Writer::carried(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const auto found = layouts_.find(first.object);
  const auto version = versions_.find(first.object);
  if (found == layouts_.end() || version == versions_.end() || version->second != first.version) {
    return fail(ErrorCode::kUnsupported,
                "`" + object(first.object).name + "` is used after it was given another value");
  }
  const Layout& layout = found->second;
  std::array<std::vector<std::int64_t>, 2> places;
  for (const Ref& point : tile.points) {
    const auto slot = static_cast<std::size_t>(terms_.at(point.term).slot);
    if (slot >= layout.places.size()) {
      return fail(ErrorCode::kUnsupported, "`" + object(first.object).name + "` has no such place");
    }
    const std::int64_t place = layout.places[slot][static_cast<std::size_t>(point.lane)];
    if (place < 0) {
      return fail(ErrorCode::kUnsupported,
                  "`" + object(first.object).name + "` of a thread that has no part in it");
    }
    places[0].push_back(place / layout.cols);
    places[1].push_back(place % layout.cols);
  }
  const std::optional<Fit> row = Tiles::fit(tile, places[0]);
  const std::optional<Fit> col = Tiles::fit(tile, places[1]);
  const auto is = [](const Fit& fit, std::int64_t by_row, std::int64_t by_col) {
    return fit.by_row == by_row && fit.by_col == by_col && fit.group == 1;
  };
  const std::int64_t down = tile.rows > 1 ? 1 : 0;
  const std::int64_t across = tile.cols > 1 ? 1 : 0;
  const bool upright = row && col && is(*row, down, 0) && is(*col, 0, across);
  const bool turned = row && col && is(*row, 0, across) && is(*col, down, 0);
  if (!upright && !turned) {
    return fail(ErrorCode::kUnsupported, "`" + object(first.object).name +
                                             "` is exchanged between threads in an unknown way");
  }
  const std::int64_t rows = upright ? tile.rows : tile.cols;
  const std::int64_t cols = upright ? tile.cols : tile.rows;
  TileExpr made;
  made.expr = name_of(first.object);
  made.rows = tile.rows;
  made.cols = tile.cols;
  made.name = rows == layout.rows && cols == layout.cols && upright;
  if (rows != layout.rows || cols != layout.cols) {
    const auto part = [&](std::int64_t from, std::int64_t size) {
      return tree_.slice(tree_.integer(from), tree_.integer(from + size));
    };
    made.expr = tree_.index(made.expr, {part(row->first, rows), part(col->first, cols)});
  }
  made.expr = upright ? made.expr : tree_.attribute(made.expr, "T");
  return made;
}

Result<TileExpr> Writer::conditions(const Tile& tile,
                                    const std::vector<std::vector<TermId>>& masks) {
  TileExpr all;
  for (std::size_t i = 0; i < masks[0].size(); ++i) {
    Tile one{tile.rows, tile.cols, {}};
    for (std::size_t point = 0; point < tile.points.size(); ++point) {
      if (masks[point].size() != masks[0].size()) {
        return fail(ErrorCode::kUnsupported,
                    "elements of a tile that are written under different conditions");
      }
      one.points.push_back({masks[point][i], tile.points[point].lane});
    }
    WS_TRY(const TileExpr part, expression(std::move(one)));
    all = i == 0 ? part : joined(ir::Operator::kBitAnd, all, part);
  }
  all.type = DType::kBool;
  return all;
}

}  // namespace ws::lift
