// Expressions but calls.
#include <algorithm>

#include "runtime/ir/translation/facts_impl.h"

namespace ws::ir {
namespace {

Position lane(std::int64_t size, int dim) {
  return Position::of(Atom{"lane " + std::to_string(size), dim});
}

/// A quotient or remainder is something of its own, named by what it is made of.
std::optional<Position> divided(const Position& x, const Position& y, Operator op) {
  const auto a = x.number();
  const auto b = y.number();
  if (!b || *b <= 0) {
    return std::nullopt;
  }
  if (!a) {
    // Quotients of sums of quotients get names that double each time.
    constexpr std::size_t kLongest = 200;
    const std::string word = op == Operator::kModulo ? " % " : " // ";
    const std::string name = "(" + to_text(x) + ")" + word + std::to_string(*b);
    return name.size() <= kLongest ? std::optional(Position::of(Atom{name, 0})) : std::nullopt;
  }
  const std::int64_t rest = (*a % *b + *b) % *b;
  return Position::of(op == Operator::kModulo ? rest : (*a - rest) / *b);
}

std::optional<Position> combined(const std::optional<Position>& a, const std::optional<Position>& b,
                                 Operator op) {
  if (!a || !b) {
    return std::nullopt;
  }
  switch (op) {
    case Operator::kAdd:
      return a->plus(*b);
    case Operator::kSubtract:
      return a->plus(*b, -1);
    case Operator::kMultiply:
      return b->number()   ? a->times(*b->number())
             : a->number() ? b->times(*a->number())
                           : std::nullopt;
    case Operator::kFloorDivide:
    case Operator::kModulo:
      return divided(*a, *b, op);
    default:
      return std::nullopt;
  }
}

/// A position that is below 0 where the comparison holds.
std::optional<Position> below_zero(const Position& a, const Position& b, Operator op) {
  const bool turned = op == Operator::kGreater || op == Operator::kGreaterEqual;
  const bool or_equal = op == Operator::kLessEqual || op == Operator::kGreaterEqual;
  if (!turned && op != Operator::kLess && op != Operator::kLessEqual) {
    return std::nullopt;
  }
  const std::optional<Position> difference = turned ? b.plus(a, -1) : a.plus(b, -1);
  return difference ? difference->plus(Position::of(or_equal ? -1 : 0)) : std::nullopt;
}

}  // namespace

FactFinder::Seen FactFinder::eval(ExprId id) {
  if (id == kNoExpr) {
    return {};
  }
  const Expr& expr = program_.expr(id);
  Seen seen;
  switch (expr.kind) {
    case ExprKind::kName: {
      const auto known = names_.find(expr.text);
      seen = known == names_.end() ? Seen() : known->second;
      break;
    }
    case ExprKind::kAttribute:
      if (program_.expr(expr.kids[0]).kind == ExprKind::kName &&
          program_.expr(expr.kids[0]).text != "self") {
        const std::string name = program_.expr(expr.kids[0]).text + "." + expr.text;
        seen.position = Position::of(Atom{name, 0});
        seen.origins[name] = expr.place.line;
        add(FactKind::kBlock, expr, name);
      }
      break;
    case ExprKind::kIndex:
      seen = index(expr);
      break;
    case ExprKind::kCall:
      seen = call(id, expr);
      break;
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kCompare:
    case ExprKind::kLogic:
    case ExprKind::kIfElse:
      seen = operation(expr);
      break;
    case ExprKind::kTuple:
      for (const ExprId kid : expr.kids) {
        eval(kid);
      }
      break;
    default:
      break;
  }
  if (type(id).kind == Kind::kInt && type(id).constant()) {
    seen.position = Position::of(*type(id).constant());
  }
  if (seen.position && !seen.position->in_range()) {
    seen.position.reset();
  }
  return seen;
}

FactFinder::Seen FactFinder::operation(const Expr& expr) {
  std::vector<Seen> sides;
  Seen seen;
  for (const ExprId kid : expr.kids) {
    sides.push_back(eval(kid));
    join(seen, sides.back());
  }
  if (expr.kind == ExprKind::kBinary) {
    seen.computed = expr.place.line;
    const bool left = type(expr.kids[0]).is_tile();
    const bool right = type(expr.kids[1]).is_tile();
    if (left && right && expr.operators[0] == Operator::kMultiply) {
      add(FactKind::kFunction, expr, "*");
    } else if ((left || right) && expr.operators[0] != Operator::kAdd) {
      // A sum may be a step from one base of indices to another one.
      add(FactKind::kOperator, expr, std::string(info_of(expr.operators[0]).text), {});
    }
    seen.position = combined(sides[0].position, sides[1].position, expr.operators[0]);
  } else if (expr.kind == ExprKind::kUnary && expr.operators[0] == Operator::kNegate &&
             sides[0].position) {
    seen.position = sides[0].position->times(-1);
  } else if (expr.kind == ExprKind::kCompare && sides.size() == 2) {
    compare(expr, sides);
  }
  return seen;
}

void FactFinder::compare(const Expr& expr, const std::vector<Seen>& sides) {
  if (!sides[0].position || !sides[1].position) {
    return;
  }
  const std::size_t rank =
      std::max(type(expr.kids[0]).shape.size(), type(expr.kids[1]).shape.size());
  Seen mask = sides[0];
  join(mask, sides[1]);
  mask.position =
      canonical(below_zero(*sides[0].position, *sides[1].position, expr.operators[0]), rank);
  if (mask.position && !mask.position->number()) {
    add_place(FactKind::kMask, expr, {}, {}, mask);
  }
}

FactFinder::Seen FactFinder::index(const Expr& expr) {
  const FactTensor* const source = tensor(expr.kids[0]);
  if (source == nullptr) {
    return tile_index(expr, eval(expr.kids[0]));
  }
  // Single elements.
  Seen place{Position::of(0), {}, 0, {}};
  const std::size_t rank = source->flat ? 1 : source->strides.size();
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const Seen at = eval(expr.kids[i]);
    const std::int64_t stride = source->flat ? 1 : i <= rank ? source->strides[i - 1] : 0;
    place.position =
        place.position && at.position ? place.position->plus(*at.position, stride) : std::nullopt;
    join(place, at);
  }
  if (expr.kids.size() != rank + 1) {
    place.position.reset();
  }
  add_place(FactKind::kRead, expr, source->name, {}, place);
  return {std::nullopt, {source->name}, 0, {}};
}

FactFinder::Seen FactFinder::tile_index(const Expr& expr, Seen base) const {
  // x[:, None]: a new dimension. Other parts are not followed.
  const Shape& shape = type(expr.kids[0]).shape;
  Shape made;
  std::size_t dim = 0;
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const Expr& part = program_.expr(expr.kids[i]);
    const bool whole = part.kind == ExprKind::kSlice &&
                       std::ranges::all_of(part.kids, [](ExprId kid) { return kid == kNoExpr; });
    if ((!whole && part.kind != ExprKind::kNone) || (whole && dim >= shape.size())) {
      base.position.reset();
      return base;
    }
    made.push_back(whole ? shape[dim++] : 1);
  }
  if (base.position) {
    base.position = reshaped(*base.position, shape, made);
  }
  return base;
}

std::optional<Position> FactFinder::canonical(std::optional<Position> position,
                                              std::size_t rank) const {
  if (!position || !request_.reversed) {
    return position;
  }
  Position turned{position->constant, {}};
  for (const auto& [atom, coefficient] : position->terms) {
    const int dim = is_lane(atom) ? static_cast<int>(rank) - 1 - atom.dim : atom.dim;
    turned.terms[Atom{atom.name, dim}] += coefficient;
  }
  return turned;
}

FactFinder::Seen FactFinder::tile_place(const FactTensor& tensor, ExprId index,
                                        const Shape& shape) {
  const Expr& list = program_.expr(index);
  const std::size_t rank = tensor.strides.size();
  std::vector<Seen> at;
  for (const ExprId kid : list.kind == ExprKind::kTuple ? list.kids : std::vector<ExprId>{index}) {
    at.push_back(eval(kid));
  }
  if (tensor.flat || at.size() != rank || shape.size() != rank) {
    return {};
  }
  Seen place{Position::of(0), {}, 0, {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t stride = tensor.strides[d];
    const auto scaled = at[d].position ? at[d].position->times(shape[d]) : std::nullopt;
    std::optional<Position>& sum = place.position;
    sum = sum && scaled ? sum->plus(*scaled, stride) : std::nullopt;
    if (sum && shape[d] > 1) {
      sum = sum->plus(lane(shape[d], static_cast<int>(rank - 1 - d)), stride);
    }
    join(place, at[d]);
  }
  place.position = canonical(place.position, rank);
  return place;
}

}  // namespace ws::ir
