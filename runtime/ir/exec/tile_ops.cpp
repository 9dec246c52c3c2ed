#include "runtime/ir/exec/tile_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/number_ops.h"
#include "runtime/ir/exec/rounding.h"
#include "runtime/ir/exec/tile_math.h"

namespace ws::ir {
namespace {

std::size_t size_of_shape(const Shape& shape) {
  return static_cast<std::size_t>(count_of(shape).value_or(0));
}

const Shape& shape_of_value(const Value& value) {
  static const Shape none;
  return value.kind == Kind::kTile ? value.tile->shape : none;
}

// A tile of `type` whose elements `make` gives from those of `args`, unless they are not kept.
template <typename Make>
Value tile_of(ValueMode mode, const Type& type, std::span<const Value> args, const Make& make) {
  Tile tile{type.dtype, type.shape, {}};
  const bool kept = std::all_of(args.begin(), args.end(), std::mem_fn(&Value::is_kept));
  if (kept && (mode != ValueMode::kNone || !is_float(type.dtype))) {
    tile.data = make();
    round_to(mode, type.dtype, tile.data);
  }
  return Value::of(std::move(tile));
}

template <typename Combine>
std::vector<double> zip_tiles(const Value& a, const Value& b, const Shape& shape,
                              const Combine& combine) {
  std::vector<double> x = spread(a, shape);
  const std::vector<double> y = spread(b, shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = combine(x[i], y[i]);
  }
  return x;
}

Result<Value> shaped(ValueMode mode, Op op, std::span<const Value> args, const Type& type) {
  const Tile& x = *args[0].tile;
  return tile_of(mode, type, args, [&] {
    if (op == Op::kBroadcast) {
      return spread(args[0], type.shape);
    }
    std::vector<double> data = x.data;
    if (op == Op::kTranspose) {
      const auto rows = static_cast<std::size_t>(type.shape.back());
      const auto columns = static_cast<std::size_t>(x.shape.back());
      const std::size_t plane = rows * columns;
      for (std::size_t i = 0; i < data.size(); ++i) {
        const std::size_t in = i % plane;
        data[i] = x.data[i / plane * plane + in % rows * columns + in / rows];
      }
    } else if (args[2].text == "column") {
      // The first index runs fastest on both sides.
      const auto offset = [](std::size_t number, const Shape& shape) {
        std::size_t at = 0;
        std::size_t stride = size_of_shape(shape);
        std::vector<std::size_t> index;
        for (const std::int64_t size : shape) {
          index.push_back(number % static_cast<std::size_t>(size));
          number /= static_cast<std::size_t>(size);
        }
        for (std::size_t d = 0; d < shape.size(); ++d) {
          stride /= static_cast<std::size_t>(shape[d]);
          at += index[d] * stride;
        }
        return at;
      };
      for (std::size_t i = 0; i < data.size(); ++i) {
        data[offset(i, type.shape)] = x.data[offset(i, x.shape)];
      }
    }
    return data;
  });
}

// A GPU does not trap on it and gives anything.
Status check_divisor(Operator op, const Type& type, const Value& divisor) {
  if (is_float(type.dtype) || (op != Operator::kFloorDivide && op != Operator::kModulo)) {
    return {};
  }
  if (divisor.kind != Kind::kTile) {
    return divisor.as_number() == 0 ? Status(bad("division by zero")) : Status();
  }
  const std::vector<double>& elements = divisor.tile->data;
  const auto zero = std::find(elements.begin(), elements.end(), 0);
  if (zero == elements.end()) {
    return {};
  }
  return bad("division by zero: element " + std::to_string(zero - elements.begin()) +
                 " of the right side is 0",
             "where(n == 0, 1, n) first");
}

/// For each element of a permuted tile, its place in `x`.
std::vector<double> permuted(const Tile& x, const Value& dims, const Shape& shape) {
  std::vector<std::size_t> stride_of(x.shape.size(), 1);
  for (std::size_t d = x.shape.size(); d-- > 1;) {
    stride_of[d - 1] = stride_of[d] * static_cast<std::size_t>(x.shape[d]);
  }
  std::vector<double> data(x.data.size());
  for (std::size_t at = 0; at < data.size(); ++at) {
    std::size_t rest = at;
    std::size_t from = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[d]);
      from += rest % size * stride_of[static_cast<std::size_t>(dims.items[d].integer)];
      rest /= size;
    }
    data[at] = x.data[from];
  }
  return data;
}

/// The rows of `y` after those of `x`, where a row is what lies behind one index before `dim`.
std::vector<double> joined(const Tile& x, const Tile& y, std::size_t dim) {
  const auto row = [dim](const Tile& tile) {
    return static_cast<std::ptrdiff_t>(size_of_shape(
        Shape(tile.shape.begin() + static_cast<std::ptrdiff_t>(dim), tile.shape.end())));
  };
  std::vector<double> data;
  data.reserve(x.data.size() + y.data.size());
  auto next_x = x.data.begin();
  auto next_y = y.data.begin();
  while (next_x != x.data.end()) {
    data.insert(data.end(), next_x, next_x + row(x));
    data.insert(data.end(), next_y, next_y + row(y));
    next_x += row(x);
    next_y += row(y);
  }
  return data;
}

Result<Value> cast_number(ValueMode mode, const Value& x, const Value& dtype) {
  WS_TRY(const DType to, dtype_of(type_of(dtype)));
  std::array<double, 1> number{x.as_number()};
  if (x.kind == Kind::kFloat && !is_float(to)) {
    saturate(to, number);
  }
  if (x.is_determined()) {
    round_to(mode, to, number);
  }
  if (is_float(to)) {
    return Value::real(number[0]);
  }
  return std::isnan(number[0]) ? Value::undetermined_of(Kind::kInt, number[0])
                               : Value::of(static_cast<std::int64_t>(number[0]));
}

std::vector<double> random_tile(std::span<const Value> args, const Shape& shape) {
  std::array<std::vector<double>, 4> counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters.at(i) = spread(args[1 + i], shape);
  }
  std::vector<double> data(size_of_shape(shape));
  for (std::size_t at = 0; at < data.size(); ++at) {
    const std::array<double, 4> counter{counters[0][at], counters[1][at], counters[2][at],
                                        counters[3][at]};
    data[at] = random_word(args, counter);
  }
  return data;
}

Result<Value> tile_op(ValueMode mode, const OpInfo& info, std::span<const Value> args,
                      const Type& type) {
  const Value& x = args[0];
  switch (info.group) {
    case OpGroup::kMap:
      return tile_of(mode, type, args, [&] {
        std::vector<double> data = x.tile->data;
        std::transform(data.begin(), data.end(), data.begin(),
                       [&](double element) { return map_element(info.op, element); });
        return data;
      });
    case OpGroup::kZip:
      if (info.op == Op::kDivTrunc || info.op == Op::kRemTrunc) {
        WS_CHECK(check_divisor(Operator::kFloorDivide, type, args[1]));
      }
      return tile_of(mode, type, args, [&] {
        return zip_tiles(x, args[1], type.shape,
                         [&](double a, double b) { return zip_element(info.op, a, b); });
      });
    case OpGroup::kSelect:
      return tile_of(mode, type, args, [&] {
        std::vector<double> data = spread(args[1], type.shape);
        const std::vector<double> other = spread(args[2], type.shape);
        const std::vector<double> condition = spread(x, type.shape);
        for (std::size_t i = 0; i < data.size(); ++i) {
          data[i] = select_element(condition[i], data[i], other[i]);
        }
        return data;
      });
    case OpGroup::kRandom:
      return tile_of(mode, type, args, [&] { return random_tile(args, type.shape); });
    case OpGroup::kReduce:
    case OpGroup::kScan: {
      WS_TRY(const std::size_t dim, dim_of(type_of(args[1]), x.tile->shape.size()));
      return tile_of(mode, type, args, [&] {
        return info.group == OpGroup::kScan ? scan(info.op, *x.tile, dim)
                                            : reduce(info.op, *x.tile, dim);
      });
    }
    case OpGroup::kMake:
    case OpGroup::kAsOperand:
    case OpGroup::kCast:
      return tile_of(mode, type, args, [&] {
        std::vector<double> data =
            info.op == Op::kZeros  ? std::vector<double>(size_of_shape(type.shape), 0)
            : info.op == Op::kOnes ? std::vector<double>(size_of_shape(type.shape), 1)
            : info.op == Op::kFull ? spread(args[1], type.shape)
                                   : spread(x, type.shape);
        const bool from_float = x.kind == Kind::kTile && is_float(x.tile->dtype);
        if (info.op == Op::kCast && from_float && !is_float(type.dtype)) {
          saturate(type.dtype, data);
        }
        return data;
      });
    case OpGroup::kArange:
      return tile_of(mode, type, args, [&] {
        std::vector<double> data(size_of_shape(type.shape));
        for (std::size_t i = 0; i < data.size(); ++i) {
          data[i] = static_cast<double>(i);
        }
        return data;
      });
    case OpGroup::kProduct: {
      const Value& acc = args.back();
      return Value::of(product(mode, type.dtype, *x.tile, *args[1].tile, acc.tile.get()));
    }
    case OpGroup::kPermute:
      return tile_of(mode, type, args.first(1), [&] {
        return args[1].kind == Kind::kTuple ? permuted(*x.tile, args[1], type.shape) : x.tile->data;
      });
    case OpGroup::kCat: {
      WS_TRY(const std::size_t dim, dim_of(type_of(args[2]), x.tile->shape.size()));
      return tile_of(mode, type, args.first(2),
                     [&] { return joined(*x.tile, *args[1].tile, dim); });
    }
    default:  // kReshape, kTranspose, kBroadcast
      return shaped(mode, info.op, args, type);
  }
}

}  // namespace

std::vector<double> spread(const Value& value, const Shape& shape) {
  if (value.kind != Kind::kTile) {
    return std::vector<double>(size_of_shape(shape), value.as_number());
  }
  if (value.tile->shape == shape || value.tile->data.empty()) {
    return value.tile->data;
  }
  std::vector<double> data;
  const std::vector<std::size_t> indices = broadcast_indices(shape_of_value(value), shape);
  data.reserve(indices.size());
  for (const std::size_t index : indices) {
    data.push_back(value.tile->data[index]);
  }
  return data;
}

Result<Value> apply_op(ValueMode mode, Op op, std::span<const Value> args) {
  std::vector<Type> types;
  std::transform(args.begin(), args.end(), std::back_inserter(types), type_of);
  WS_TRY(const Type type, infer_op(op, types));
  if (type.kind == Kind::kRange) {
    Value range;
    range.kind = Kind::kRange;
    for (const Type& item : type.items) {
      range.items.push_back(Value::of(item.constant().value_or(0)));
    }
    return range;
  }
  if (op == Op::kCast && !type.is_tile()) {
    return cast_number(mode, args[0], args[1]);
  }
  return type.is_tile() ? tile_op(mode, info_of(op), args, type)
                        : number_op(info_of(op), args, type);
}

Result<Value> apply_binary(ValueMode mode, Operator op, const Value& a, const Value& b) {
  if (op == Operator::kMatmul) {
    return apply_op(mode, Op::kMma, std::vector<Value>{a, b, Value()});
  }
  WS_TRY(const Type type, infer_binary(op, type_of(a), type_of(b)));
  if (!type.is_tile()) {
    const bool plain = a.kind == Kind::kString || a.kind == Kind::kNone || b.kind == Kind::kNone;
    const bool equal = a.kind == b.kind && a.text == b.text;
    return plain ? Value::truth(equal == (op == Operator::kEqual)) : number_binary(op, a, b);
  }
  WS_CHECK(check_divisor(op, type, b));
  return tile_of(mode, type, std::vector<Value>{a, b}, [&] {
    return zip_tiles(a, b, type.shape,
                     [&](double x, double y) { return operator_element(op, x, y, type.dtype); });
  });
}

Result<Value> apply_unary(ValueMode mode, Operator op, const Value& a) {
  WS_TRY(const Type type, infer_unary(op, type_of(a)));
  if (!type.is_tile()) {
    return number_unary(op, a);
  }
  return tile_of(mode, type, {&a, 1}, [&] {
    std::vector<double> data = a.tile->data;
    for (double& x : data) {
      x = is_undetermined(x)           ? x
          : op == Operator::kPlus      ? x
          : op == Operator::kNegate    ? -x
          : type.dtype == DType::kBool ? (x != 0 ? 0.0 : 1.0)
                                       : -x - 1;
    }
    return data;
  });
}

Tile product(ValueMode mode, DType dtype, const Tile& a, const Tile& b, const Tile* acc) {
  const auto m = static_cast<std::size_t>(a.shape[0]);
  const auto k = static_cast<std::size_t>(a.shape[1]);
  const auto n = static_cast<std::size_t>(b.shape[1]);
  Tile tile{dtype, {a.shape[0], b.shape[1]}, {}};
  if (mode != ValueMode::kNone) {
    tile.data = acc != nullptr ? acc->data : std::vector<double>(m * n);
    const bool single = mode != ValueMode::kF64 && is_float(a.dtype) && a.dtype != DType::kF64;
    multiply(a.data, b.data, tile.data, m, n, k, single);
    round_to(mode, dtype, tile.data);
  }
  return tile;
}

Result<bool> truth_of(const Value& value) {
  switch (value.kind) {
    case Kind::kInt:
    case Kind::kBool:
      return value.integer != 0;
    case Kind::kFloat:
      return value.number != 0;
    case Kind::kNone:
      return false;
    default:
      return bad("the condition is " + describe(type_of(value)));
  }
}

}  // namespace ws::ir
