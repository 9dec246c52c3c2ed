// Calls of operations.
#include <algorithm>

#include "runtime/ir/translation/facts_impl.h"

namespace ws::ir {
namespace {

std::string text_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : "+") + name;
  }
  return text;
}

/// A tile of a number: zeros, ones, or what is written.
std::string filled_with(const Program& program, const CallForm& form, ExprId value) {
  if (form.op->op != Op::kFull) {
    return form.op->op == Op::kZeros ? "0" : "1";
  }
  const Expr& expr = program.expr(value);
  const bool negative = expr.kind == ExprKind::kUnary && expr.operators[0] == Operator::kNegate;
  const Expr& number = negative ? program.expr(expr.kids[0]) : expr;
  const std::string sign = negative ? "-" : "";
  switch (number.kind) {
    case ExprKind::kInteger:
      return sign + std::to_string(number.integer);
    case ExprKind::kFloat:
      return number.number == 0 ? "0" : sign + number.text;
    default:
      return sign + number.text;
  }
}

}  // namespace

std::optional<Position> FactFinder::scalar(const OpInfo& info, const std::vector<Seen>& args) {
  std::vector<std::int64_t> numbers;
  for (const Seen& arg : args) {
    const auto number = arg.position ? arg.position->number() : std::nullopt;
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  if (info.op == Op::kCdiv && numbers.size() == 2 && numbers[1] > 0) {
    return Position::of(numbers[0] / numbers[1] + (numbers[0] % numbers[1] > 0 ? 1 : 0));
  }
  return std::nullopt;
}

const FactTensor* FactFinder::tensor(ExprId id) const {
  const Expr& expr = program_.expr(id);
  if (expr.kind != ExprKind::kAttribute) {
    return nullptr;
  }
  const auto known = std::ranges::find_if(
      request_.tensors, [&](const FactTensor& tensor) { return tensor.parameter == expr.text; });
  return known == request_.tensors.end() ? nullptr : &*known;
}

ExprId FactFinder::argument(const CallForm& form, std::string_view name) {
  const auto given = std::ranges::find_if(form.args, [&](const CallArg& arg) {
    return arg.param != nullptr && arg.param->name == name;
  });
  return given == form.args.end() ? kNoExpr : given->expr;
}

std::string FactFinder::shape_text(Shape shape) const {
  if (request_.reversed) {
    std::ranges::reverse(shape);
  }
  return to_text(shape);
}

FactFinder::Seen FactFinder::call(ExprId id, const Expr& expr) {
  const CallForm form = form_of(program_, expr);
  if (form.op == nullptr) {
    return {};
  }
  if (form.op->group == OpGroup::kLoad || form.op->group == OpGroup::kStore ||
      form.op->group == OpGroup::kGather || form.op->group == OpGroup::kScatter) {
    std::vector<Seen> args;
    for (const CallArg& arg : form.args) {
      const bool place = arg.param != nullptr && arg.param->kind == ArgKind::kIndex;
      args.push_back(place || tensor(arg.expr) != nullptr ? Seen() : eval(arg.expr));
    }
    return transfer(form, expr, args);
  }
  std::vector<Seen> args;
  Seen seen;
  for (const CallArg& arg : form.args) {
    args.push_back(eval(arg.expr));
    join(seen, args.back());
  }
  switch (form.op->group) {
    case OpGroup::kArange:
      seen.position = Position::of(Atom{"lane " + std::to_string(type(id).shape.at(0)), 0});
      break;
    case OpGroup::kScalar:
      seen.position = scalar(*form.op, args);
      break;
    case OpGroup::kProduct:
      product(id, form, expr, args);
      break;
    case OpGroup::kCast:
      seen.position = args.front().position;
      break;
    case OpGroup::kReshape:
    case OpGroup::kTranspose:
    case OpGroup::kPermute:
    case OpGroup::kBroadcast:
      return move(id, form, expr, args.front());
    default:
      break;
  }
  add_operation(id, form, expr);
  return seen;
}

void FactFinder::add_operation(ExprId id, const CallForm& form, const Expr& expr) {
  const std::string dtype(ws::name_of(type(id).dtype));
  switch (form.op->group) {
    case OpGroup::kReduce:
      reduction(form, expr);
      break;
    case OpGroup::kMap:
    case OpGroup::kZip:
    case OpGroup::kScan:
      add(FactKind::kFunction, expr, std::string(form.op->name));
      break;
    case OpGroup::kSelect:
      add(FactKind::kSelect, expr, {});
      break;
    case OpGroup::kMake:
      add(FactKind::kFill, expr, filled_with(program_, form, argument(form, "value")), dtype);
      break;
    case OpGroup::kCast:
      if (type(id).is_tile() && type(form.args.front().expr).dtype != type(id).dtype) {
        add(FactKind::kCast, expr, dtype);
      }
      break;
    default:
      break;
  }
}

FactFinder::Seen FactFinder::transfer(const CallForm& form, const Expr& expr,
                                      const std::vector<Seen>& args) {
  const bool writes = form.op->effect == OpEffect::kWrites;
  const FactTensor* const target = form.args.empty() ? nullptr : tensor(form.args.front().expr);
  if (target == nullptr) {
    return {};
  }
  Seen place;
  if (form.op->group == OpGroup::kLoad || form.op->group == OpGroup::kStore) {
    const ExprId value = argument(form, "value");
    Shape shape;
    if (value != kNoExpr) {
      shape = type(value).shape;
    } else if (const ExprId sizes = argument(form, "shape"); sizes != kNoExpr) {
      for (const Type& size : type(sizes).items) {
        shape.push_back(size.constant().value_or(1));
      }
    }
    place = tile_place(*target, argument(form, "index"), shape);
  } else {
    // The second argument has the indices.
    const ExprId indices = argument(form, "indices");
    const auto rank = indices == kNoExpr ? 0 : type(indices).shape.size();
    const bool known = target->flat || target->strides.size() == 1;
    place = known && args.size() > 1 ? args[1] : Seen();
    place.position = canonical(place.position, rank);
  }
  add_place(writes ? FactKind::kWrite : FactKind::kRead, expr, target->name,
            writes ? "" : padding(form), place);
  return {std::nullopt, {target->name}, 0, {}};
}

std::string FactFinder::padding(const CallForm& form) const {
  if (const ExprId pad = argument(form, "pad"); pad != kNoExpr) {
    return program_.expr(pad).text;
  }
  const ExprId other = argument(form, "other");
  if (other == kNoExpr) {
    return form.op->group == OpGroup::kLoad ? "zero" : "";
  }
  const Expr& value = program_.expr(other);
  const bool negative = value.kind == ExprKind::kUnary && value.operators[0] == Operator::kNegate;
  const Expr& number = negative ? program_.expr(value.kids[0]) : value;
  const bool zero = (number.kind == ExprKind::kInteger && number.integer == 0) ||
                    (number.kind == ExprKind::kFloat && number.number == 0);
  if (number.kind == ExprKind::kCall) {
    return "none";  // undetermined()
  }
  return std::string(negative ? "-" : "") + (zero ? "zero" : number.text);
}

FactFinder::Seen FactFinder::move(ExprId id, const CallForm& form, const Expr& expr, Seen x) {
  const Shape& from = type(form.args.front().expr).shape;
  const Shape& to = type(id).shape;
  if (form.op->group == OpGroup::kBroadcast) {
    return x;  // Sizes of 1 that are repeated have no lanes.
  }
  if (form.op->group == OpGroup::kReshape) {
    add(FactKind::kReshape, expr, {}, shape_text(from) + " to " + shape_text(to));
    x.position = x.position ? reshaped(*x.position, from, to) : std::nullopt;
    return x;
  }
  const auto rank = static_cast<std::int64_t>(from.size());
  Shape dims;
  for (std::int64_t d = 0; d < rank; ++d) {
    dims.push_back(d);
  }
  if (form.op->group == OpGroup::kTranspose && rank >= 2) {
    std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  } else if (const ExprId order = argument(form, "dims"); order != kNoExpr) {
    for (std::size_t i = 0; i < dims.size() && i < type(order).items.size(); ++i) {
      dims[i] = type(order).items[i].constant().value_or(dims[i]);
    }
  }
  x.position = x.position ? std::optional(permuted(*x.position, dims)) : std::nullopt;
  if (request_.reversed) {
    Shape turned;
    for (std::size_t i = dims.size(); i-- > 0;) {
      turned.push_back(rank - 1 - dims[i]);
    }
    dims = turned;
  }
  add(FactKind::kPermute, expr, {}, to_text(dims) + " of " + shape_text(from));
  return x;
}

void FactFinder::reduction(const CallForm& form, const Expr& expr) {
  const Shape& shape = type(form.args.front().expr).shape;
  const ExprId dim = argument(form, "dim");
  const auto at = dim == kNoExpr ? std::nullopt : type(dim).constant();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = at ? (*at < 0 ? *at + rank : *at) : rank;
  std::string detail;
  if (axis >= 0 && axis < rank) {
    const std::int64_t from_end = request_.reversed ? axis : rank - 1 - axis;
    detail = std::to_string(shape[static_cast<std::size_t>(axis)]) + " elements, dimension -" +
             std::to_string(from_end + 1);
  }
  add(FactKind::kReduce, expr, std::string(form.op->name), detail);
}

void FactFinder::product(ExprId id, const CallForm& form, const Expr& expr,
                         const std::vector<Seen>& args) {
  if (args.size() < 2) {
    return;
  }
  // A product of reversed tiles has its operands the other way round.
  const std::size_t first = request_.reversed ? 1 : 0;
  add(FactKind::kProduct, expr,
      text_of(args[first].tensors) + " * " + text_of(args[1 - first].tensors),
      std::string(ws::name_of(type(form.args[0].expr).dtype)) + " to " +
          std::string(ws::name_of(type(id).dtype)));
}

}  // namespace ws::ir
