#include "runtime/ir/exec/tile_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/ir/exec/philox.h"

namespace ws::ir {
namespace {

// NaN wins, so that what is undetermined stays so.
double larger(double x, double y) {
  return std::isnan(x) ? x : std::isnan(y) ? y : std::max(x, y);
}

double smaller(double x, double y) {
  return std::isnan(x) ? x : std::isnan(y) ? y : std::min(x, y);
}

double floor_modulo(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

bool is_narrow_integer(DType dtype) {
  return dtype != DType::kBool && !is_float(dtype) && size_of(dtype) <= sizeof(std::uint32_t);
}

/// Equal to the product in its 32 low bits, which a double of the product may not hold; what
/// integers of at most 32 bits wrap to is the same.
double low_product(double x, double y) {
  const auto bits = [](double value) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  };
  return bits(x) * bits(y);
}

/// The same of a shift to the left.
double low_shift(double x, double count) {
  const bool whole = count >= 0 && count < 32;
  return whole ? low_product(x, std::ldexp(1.0, static_cast<int>(count))) : 0;
}

// A negative count is a large one to the hardware, and large ones are cut off: PTX 8.0, shl and
// shr.
constexpr std::int64_t kMostShift = 62;

double bits(Operator op, double x, double y) {
  const std::int64_t a = to_integer(x);
  const std::int64_t b = to_integer(y);
  switch (op) {
    case Operator::kBitAnd:
      return static_cast<double>(a & b);
    case Operator::kBitOr:
      return static_cast<double>(a | b);
    case Operator::kBitXor:
      return static_cast<double>(a ^ b);
    case Operator::kShiftLeft:
      return b < 0 || b > kMostShift ? 0 : x * std::ldexp(1.0, static_cast<int>(b));
    default:
      return std::floor(
          x / std::ldexp(1.0, static_cast<int>(b < 0 || b > kMostShift ? kMostShift : b)));
  }
}

// The result of an operator when one operand is undetermined, or both.
double decided_by(Operator op, double x, double y, DType dtype) {
  const double known = is_undetermined(x) ? y : x;
  const bool whole = !is_float(dtype);
  if (known == 0 && whole && (op == Operator::kBitAnd || op == Operator::kMultiply)) {
    return 0;
  }
  return known == 1 && op == Operator::kBitOr && dtype == DType::kBool ? 1 : undetermined_by(x, y);
}

double compare(Operator op, double x, double y) {
  const bool holds = op == Operator::kEqual       ? x == y
                     : op == Operator::kNotEqual  ? x != y
                     : op == Operator::kLess      ? x < y
                     : op == Operator::kLessEqual ? x <= y
                     : op == Operator::kGreater   ? x > y
                                                  : x >= y;
  return holds ? 1 : 0;
}

double first_of(Op op) {
  switch (op) {
    case Op::kMax:
    case Op::kArgmax:
    case Op::kCummax:
      return -std::numeric_limits<double>::infinity();
    case Op::kMin:
    case Op::kArgmin:
      return std::numeric_limits<double>::infinity();
    case Op::kProd:
    case Op::kAll:
      return 1;
    default:
      return 0;
  }
}

// One element that decides is enough; else what is undetermined leaves the result so.
double fold_truth(bool any, double sum, double x) {
  const auto decides = [any](double truth) {
    return !is_undetermined(truth) && (truth != 0) == any;
  };
  if (decides(sum) || decides(x)) {
    return any ? 1 : 0;
  }
  return is_undetermined(sum) || is_undetermined(x) ? undetermined_by(sum, x) : any ? 0 : 1;
}

double fold(Op op, double sum, double x) {
  switch (op) {
    case Op::kMax:
    case Op::kCummax:
      return larger(sum, x);
    case Op::kMin:
      return smaller(sum, x);
    case Op::kProd:
      return sum * x;
    case Op::kAny:
    case Op::kAll:
      return fold_truth(op == Op::kAny, sum, x);
    default:
      return sum + x;
  }
}

// A tile as (outer, size, inner) around one dimension.
struct Lines {
  std::size_t outer = 1;
  std::size_t size = 1;
  std::size_t inner = 1;
};

Lines lines_of(const Shape& shape, std::size_t dim) {
  Lines lines;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (i < dim    ? lines.outer
     : i == dim ? lines.size
                : lines.inner) *= static_cast<std::size_t>(shape[i]);
  }
  return lines;
}

}  // namespace

std::int64_t to_integer(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  return value >= 0x1p63    ? INT64_MAX
         : value <= -0x1p63 ? INT64_MIN
                            : static_cast<std::int64_t>(value);
}

double map_element(Op op, double x) {
  switch (op) {
    case Op::kExp:
      return std::exp(x);
    case Op::kExp2:
      return std::exp2(x);
    case Op::kLog:
      return std::log(x);
    case Op::kLog2:
      return std::log2(x);
    case Op::kSqrt:
      return std::sqrt(x);
    case Op::kRsqrt:
      return 1 / std::sqrt(x);
    case Op::kSin:
      return std::sin(x);
    case Op::kCos:
      return std::cos(x);
    case Op::kTanh:
      return std::tanh(x);
    case Op::kErf:
      return std::erf(x);
    case Op::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Op::kRelu:
      return larger(x, 0);
    case Op::kAbs:
      return std::fabs(x);
    case Op::kFloor:
      return std::floor(x);
    case Op::kCeil:
      return std::ceil(x);
    default:  // kIsNan
      return is_undetermined(x) ? x : std::isnan(x) ? 1 : 0;
  }
}

double zip_element(Op op, double x, double y) {
  switch (op) {
    case Op::kMaximum:
      return larger(x, y);
    case Op::kMinimum:
      return smaller(x, y);
    case Op::kDivTrunc:
      return is_undetermined(x) || is_undetermined(y) ? undetermined_by(x, y) : std::trunc(x / y);
    case Op::kRemTrunc:
      return is_undetermined(x) || is_undetermined(y) ? undetermined_by(x, y) : std::fmod(x, y);
    default:
      return std::pow(x, y);
  }
}

double random_element(std::span<const double> counter, std::int64_t key, std::int64_t word,
                      std::int64_t rounds) {
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_undetermined(counter[i])) {
      return counter[i];
    }
    words.at(i) = static_cast<std::uint32_t>(static_cast<std::int64_t>(counter[i]));
  }
  return philox(words, static_cast<std::uint64_t>(key), rounds).at(static_cast<std::size_t>(word));
}

double select_element(double condition, double x, double y) {
  if (is_undetermined(condition)) {
    return x == y ? x : condition;
  }
  return condition != 0 ? x : y;
}

double operator_element(Operator op, double x, double y, DType dtype) {
  if (is_undetermined(x) || is_undetermined(y)) {
    return decided_by(op, x, y, dtype);
  }
  switch (op) {
    case Operator::kAdd:
      return x + y;
    case Operator::kSubtract:
      return x - y;
    case Operator::kMultiply:
      return is_narrow_integer(dtype) ? low_product(x, y) : x * y;
    case Operator::kDivide:
      return x / y;
    case Operator::kFloorDivide:
      return std::floor(x / y);
    case Operator::kModulo:
      return floor_modulo(x, y);
    case Operator::kPower:
      return std::pow(x, y);
    case Operator::kShiftLeft:
      return is_narrow_integer(dtype) ? low_shift(x, y) : bits(op, x, y);
    default:
      return info_of(op).kind == OperatorKind::kCompare ? compare(op, x, y) : bits(op, x, y);
  }
}

std::vector<std::size_t> broadcast_indices(const Shape& from, const Shape& shape) {
  std::vector<std::size_t> indices = {0};
  std::size_t stride = 1;
  // Grown from the last dimension to the first: each copies what is there, `size` times.
  for (std::size_t d = shape.size(); d-- > 0;) {
    const bool moves = !from.empty() && from[d] > 1;
    const std::size_t inner = indices.size();
    const auto size = static_cast<std::size_t>(shape[d]);
    indices.reserve(inner * size);
    for (std::size_t i = 1; i < size; ++i) {
      for (std::size_t j = 0; j < inner; ++j) {
        indices.push_back(indices[j] + (moves ? i * stride : 0));
      }
    }
    stride *= from.empty() ? 1U : static_cast<std::size_t>(from[d]);
  }
  return indices;
}

std::vector<double> reduce(Op op, const Tile& x, std::size_t dim) {
  const Lines lines = lines_of(x.shape, dim);
  std::vector<double> result(lines.outer * lines.inner, first_of(op));
  const bool index = op == Op::kArgmax || op == Op::kArgmin;
  std::vector<double> where(index ? result.size() : 0);
  for (std::size_t at = 0; at < x.data.size(); ++at) {
    const std::size_t inner = at % lines.inner;
    const std::size_t i = at / lines.inner % lines.size;
    const std::size_t out = at / lines.inner / lines.size * lines.inner + inner;
    if (index) {
      // Nothing is larger or smaller than what is undetermined: it stays.
      const bool undecided = is_undetermined(x.data[at]);
      if (undecided || (op == Op::kArgmax ? x.data[at] > result[out] : x.data[at] < result[out])) {
        result[out] = x.data[at];
        where[out] = undecided ? x.data[at] : static_cast<double>(i);
      }
    } else {
      result[out] = fold(op, result[out], x.data[at]);
    }
  }
  if (op == Op::kMean) {
    for (double& sum : result) {
      sum /= static_cast<double>(lines.size);
    }
  }
  return index ? where : result;
}

std::vector<double> scan(Op op, const Tile& x, std::size_t dim) {
  const Lines lines = lines_of(x.shape, dim);
  std::vector<double> result = x.data;
  for (std::size_t at = lines.inner; at < result.size(); ++at) {
    if (at / lines.inner % lines.size != 0) {
      result[at] = fold(op, result[at - lines.inner], result[at]);
    }
  }
  return result;
}

}  // namespace ws::ir
