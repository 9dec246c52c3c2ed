#include "runtime/lift/write/tile_expressions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/lift/write/limits.h"

namespace ws::lift {
namespace {

constexpr int kMaxExpressionDepth = 300;
/// Bytes of one expression.
constexpr std::size_t kMaxText = std::size_t{1} << 18U;

bool is_half(DType type) {
  return type == DType::kF16 || type == DType::kBf16;
}

}  // namespace

/// Whether the kernel rounds or cuts this value, and CuIR would not if it is a number, which has 64
/// bits: all that is computed in halves, and what is converted to fewer bits.
bool TileExpressions::is_rounded(const Term& term) const {
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

Tile TileExpressions::operand(const Tile& tile, std::size_t index) const {
  Tile made{tile.rows, tile.cols, {}};
  made.points.reserve(tile.points.size());
  for (const Ref& point : tile.points) {
    made.points.push_back({terms_.at(point.term).args[index], point.lane});
  }
  return made;
}

Result<TileExpr> TileExpressions::expression(Tile tile) {
  WS_CHECK(input_.time_budget.left());
  if (depth_ > kMaxExpressionDepth || tile.points.size() > kMaxTileElements) {
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
          first.kind == TermKind::kOperation ? names_.held(tile) : std::nullopt) {
    return *std::move(variable);
  }
  if (names_.is_assigned(tile)) {
    names_.note_indices(tile);
    if (!top || names_.find(names_.tile_hash(tile))) {
      return named(tile);
    }
    names_.widen_open(first.assigned);
  }
  return built(tile);
}

Result<TileExpr> TileExpressions::statement(const Tile& tile) {
  top_ = true;
  Result<TileExpr> made = expression(tile);
  top_ = false;
  return made;
}

Result<TileExpr> TileExpressions::named(const Tile& tile) {
  const std::uint64_t key = names_.tile_hash(tile);
  if (std::optional<TileExpr> known = names_.find(key)) {
    return *std::move(known);
  }
  names_.open(terms_.at(tile.points[0].term).assigned);
  Result<TileExpr> made = built(tile);
  // A number has no line of its own, and what has a name already needs no other.
  if (made && !made->number && !made->name) {
    made = names_.named(key, names_.wanted_name(tile), *std::move(made));
  }
  names_.close();
  return made;
}

/// The expression of a tile whose elements are all alike.
Result<TileExpr> TileExpressions::built(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const DType type = first.type;
  ++depth_;
  Result<TileExpr> made = of_kind(tile);
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

Result<TileExpr> TileExpressions::of_kind(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  switch (first.kind) {
    case TermKind::kNumber:
      return number_term(tile);
    case TermKind::kInteger: {
      std::vector<const Poly*> polys;
      polys.reserve(tile.points.size());
      for (const Ref& point : tile.points) {
        polys.push_back(&terms_.at(point.term).poly);
      }
      return numbers_.integer(tile, polys, first.type);
    }
    case TermKind::kArgument: {
      TileExpr made;
      made.expr = tree_.parsed(first.name);
      made.number = true;
      return made;
    }
    case TermKind::kLoad:
      return reads_.load(tile, Padding::kUnpadded);
    case TermKind::kCarried:
      return variables_.carried(tile);
    case TermKind::kOperation:
      return operation(tile);
    case TermKind::kMove:
      break;
  }
  return fail(ErrorCode::kInternal, "a value that was not followed");
}

Result<TileExpr> TileExpressions::number_term(const Tile& tile) {
  const Term& first = terms_.at(tile.points[0].term);
  const bool same = std::all_of(tile.points.begin(), tile.points.end(), [&](const Ref& point) {
    const double number = terms_.at(point.term).number;
    return number == first.number || (std::isnan(number) && std::isnan(first.number));
  });
  return same ? numbers_.real(first.number, first.type)
              : fail(ErrorCode::kUnsupported, "constants that differ from element to element");
}

}  // namespace ws::lift
