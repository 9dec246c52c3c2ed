// Brackets: parts of buffers are views, parts of tiles are tiles.
#include <algorithm>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {

Result<std::vector<Interpreter::Part>> Interpreter::parts(const Expr& expr) {
  std::vector<Part> parts;
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const Expr& kid = program_.expr(expr.kids[i]);
    Part part;
    part.new_axis = kid.kind == ExprKind::kNone;
    part.single = kid.kind != ExprKind::kSlice && !part.new_axis;
    if (part.single) {
      WS_TRY(const Value at, eval(expr.kids[i]));
      WS_CHECK(check_determined(at, "the index"));
      part.from = at.integer;
    } else if (!part.new_axis) {
      WS_TRY(const Value from, eval(kid.kids[0]));
      WS_TRY(const Value to, eval(kid.kids[1]));
      WS_CHECK(check_determined(from, "the slice"));
      WS_CHECK(check_determined(to, "the slice"));
      part.from = from.integer;
      part.to = to.integer;
      part.open_end = to.kind == Kind::kNone;
    }
    parts.push_back(part);
  }
  return parts;
}

Result<Value> Interpreter::index(const Expr& expr) {
  WS_TRY(const Value base, eval(expr.kids[0]));
  WS_TRY(const std::vector<Part> where, parts(expr));
  place_ = expr.place;
  if (base.kind == Kind::kTuple) {
    const auto size = static_cast<std::int64_t>(base.items.size());
    const std::int64_t at = where.front().from + (where.front().from < 0 ? size : 0);
    if (at < 0 || at >= size) {
      return bad("index " + std::to_string(at) + " of a tuple of " + std::to_string(size));
    }
    return base.items[static_cast<std::size_t>(at)];
  }
  if (base.kind == Kind::kBarrier) {
    const std::int64_t count = base.shape.empty() ? 1 : base.shape[0];
    const std::int64_t at = where.front().from + (where.front().from < 0 ? count : 0);
    if (at < 0 || at >= count) {
      return bad("barrier " + std::to_string(at) + ": there are " + std::to_string(count));
    }
    Value value = base;
    value.barrier += at;
    value.shape.clear();
    return value;
  }
  if (base.kind != Kind::kTile && base.kind != Kind::kBuffer) {
    return bad(describe(type_of(base)) + " has no parts");
  }
  const bool new_axis =
      std::any_of(where.begin(), where.end(), [](const Part& part) { return part.new_axis; });
  if (base.kind == Kind::kTile || new_axis) {
    WS_TRY(const Value part, tile_part(read(base), where));
    return part.tile->shape.empty() ? element(part) : Result<Value>(part);
  }
  WS_TRY(const Value part, view_part(base, where));
  return part.shape.empty() ? element(read(part)) : Result<Value>(part);
}

// A tile of one element as a number.
Result<Value> Interpreter::element(const Value& value) {
  if (value.tile->data.empty()) {
    return bad("this value is not known when values are not kept",
               "run with values, or take it from an argument");
  }
  const double number = value.tile->data.front();
  if (is_float(value.tile->dtype)) {
    return Value::real(number);
  }
  return is_undetermined(number) ? Value::undetermined_of(Kind::kInt, number)
                                 : Value::of(to_integer(number));
}

Result<Value> Interpreter::view_part(const Value& base, const std::vector<Part>& parts) {
  View view = *base.view;
  const std::vector<std::size_t> axes = std::exchange(view.axes, {});
  const bool global = view.buffer->space == Space::kGlobal;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = axes[i];
    const std::int64_t size = view.count[axis];
    if (i >= parts.size()) {
      view.axes.push_back(axis);
      continue;
    }
    const Part& part = parts[i];
    const std::int64_t from = part.from + (part.single && part.from < 0 ? size : 0);
    const std::int64_t to = part.single     ? (from == INT64_MAX ? from : from + 1)
                            : part.open_end ? size
                                            : part.to;
    // However far a slice of an argument lies outside: sums of such places stay within 64 bits.
    constexpr std::int64_t farthest = std::int64_t{1} << 40U;
    const bool beyond = from < 0 || (to > size && (part.single || !global)) || to > farthest ||
                        to - from > kMaxTensorElements;
    if (beyond || to <= from) {
      return bad((part.single ? "index " + std::to_string(part.from)
                              : "slice " + std::to_string(from) + ":" + std::to_string(to)) +
                 " is outside: dimension " + std::to_string(i) + " of `" + name_of(*base.view) +
                 "` has size " + std::to_string(size));
    }
    view.first[axis] += from;
    view.count[axis] = to - from;
    if (!part.single) {
      view.axes.push_back(axis);
    }
  }
  return value_of(view);
}

// A tile is looked at as a buffer is; None adds dimensions of size 1 to the result.
Result<Value> Interpreter::tile_part(const Value& base, const std::vector<Part>& parts) {
  auto buffer = std::make_shared<Buffer>();
  buffer->name = "tile";
  buffer->space = Space::kRegister;
  buffer->dtype = base.tile->dtype;
  buffer->shape = base.tile->shape;
  buffer->data = base.tile->data;
  std::vector<Part> real;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(real),
               [](const Part& part) { return !part.new_axis; });
  WS_TRY(const Value part, view_part(value_of(view_of(buffer)), real));
  Tile tile{base.tile->dtype, {}, ws::ir::read(*part.view, 0)};
  std::size_t dim = 0;
  for (const Part& step : parts) {
    if (step.new_axis) {
      tile.shape.push_back(1);
    } else if (!step.single) {
      tile.shape.push_back(part.shape[dim++]);
    }
  }
  tile.shape.insert(tile.shape.end(), part.shape.begin() + static_cast<std::ptrdiff_t>(dim),
                    part.shape.end());
  Value value = Value::of(std::move(tile));
  value.made_at = base.made_at;
  value.product = base.product;
  return value;
}

}  // namespace ws::ir
