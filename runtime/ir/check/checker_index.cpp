// The parts of an index in brackets: numbers, slices and None.
#include "runtime/ir/check/checker_impl.h"

namespace ws::ir {

Checker::Part Checker::part(ExprId id) {
  const Expr& expr = program_.expr(id);
  Part part;
  if (expr.kind != ExprKind::kSlice) {
    part.new_axis = expr.kind == ExprKind::kNone;
    part.single = !part.new_axis;
    part.from = eval(id);
    return part;
  }
  part.from = eval(expr.kids[0]);
  part.to = eval(expr.kids[1]);
  if (expr.kids[2] != kNoExpr && eval(expr.kids[2]).constant() != 1) {
    part.from = error(expr.place, "slices with a step are not part of CuIR");
  }
  return part;
}

Type Checker::index(const Expr& expr) {
  const Type base = eval(expr.kids[0]);
  const Type type = is_broken(base) ? base : index_of(expr, base);
  const bool number = type.is_tile() && type.shape.empty();
  if (!number) {
    return type;
  }
  // A single element is a number.
  return is_float(type.dtype) ? Type::real() : Type::integer(Affine::unknown());
}

Type Checker::index_of(const Expr& expr, const Type& base) {
  std::vector<Part> parts;
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    parts.push_back(part(expr.kids[i]));
    if (is_broken(parts.back().from) || is_broken(parts.back().to)) {
      return broken();
    }
    for (const Type* bound : {&parts.back().from, &parts.back().to}) {
      if (bound->kind != Kind::kInt && bound->kind != Kind::kBool && bound->kind != Kind::kNone) {
        return error(program_.expr(expr.kids[i]).place,
                     "an index must be an integer, got " + describe(*bound),
                     bound->is_tile() ? "gather(source, indices) takes a tile of them" : "");
      }
    }
  }
  if (base.kind == Kind::kTuple) {
    const std::optional<std::int64_t> at = parts.front().from.constant();
    const auto size = static_cast<std::int64_t>(base.items.size());
    if (parts.size() != 1 || !parts.front().single || !at || *at < -size || *at >= size) {
      return error(expr.place, "a tuple of " + std::to_string(size) +
                                   " is indexed by one constant from 0 to " +
                                   std::to_string(size - 1));
    }
    return base.items[static_cast<std::size_t>(*at < 0 ? *at + size : *at)];
  }
  if (!base.is_tile() && base.kind != Kind::kBarrier) {
    return error(expr.place, describe(base) + " has no parts");
  }
  const Result<Type> result = slice(base, parts);
  return result ? *result : error(expr.place, result.error());
}

Result<Type> Checker::slice(const Type& base, const std::vector<Part>& parts) {
  Type type = base;
  type.shape.clear();
  std::size_t dim = 0;
  const bool may_pass_edge = base.kind == Kind::kBuffer && base.space == Space::kGlobal;
  for (const Part& part : parts) {
    if (part.new_axis) {
      type.shape.push_back(1);
      type.kind = Kind::kTile;
      continue;
    }
    if (dim == base.shape.size()) {
      return bad("more indices than dimensions: " + describe(base));
    }
    const std::int64_t size = base.shape[dim++];
    const std::string allowed =
        ": dimension " + std::to_string(dim - 1) + " has size " + std::to_string(size);
    const Affine from = part.from.kind == Kind::kNone ? Affine(0) : part.from.value;
    if (part.single) {
      const std::int64_t at = from.constant().value_or(0);
      if (at < -size || at >= size) {
        return bad("index " + std::to_string(at) + " is outside" + allowed);
      }
      continue;
    }
    const Affine to = part.to.kind == Kind::kNone ? Affine(size) : part.to.value;
    const std::optional<std::int64_t> extent = to.plus(from, -1).constant();
    if (!extent) {
      return bad("the size of this slice is not constant",
                 "write x[i * 64:(i + 1) * 64], or x[first:first + 64]");
    }
    const bool beyond = !may_pass_edge && to.constant().value_or(0) > size;
    if (*extent <= 0 || *extent > kMaxTileElements || beyond || from.constant().value_or(0) < 0) {
      return bad("a slice of " + std::to_string(*extent) + " elements is outside" + allowed);
    }
    type.shape.push_back(*extent);
  }
  type.shape.insert(type.shape.end(), base.shape.begin() + static_cast<std::ptrdiff_t>(dim),
                    base.shape.end());
  return type;
}

}  // namespace ws::ir
