// The mathematics of tiles: pure functions of values, without types and rounding.
#pragma once

#include <span>
#include <vector>

#include "runtime/ir/exec/value.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// The whole number below or above, nearest to zero; the ends of 64 bits for what lies beyond, 0
/// for NaN.
std::int64_t to_integer(double value);

/// One element of a kMap operation. Here and below a result is undetermined when an operand is,
/// unless it is the same whatever that operand is.
double map_element(Op op, double x);
/// One element of maximum, minimum, pow, div_trunc or rem_trunc; `y` is not 0 in the last two.
double zip_element(Op op, double x, double y);
/// One word of Philox 4x32 (philox.h) for a counter of four words.
double random_element(std::span<const double> counter, std::int64_t key, std::int64_t word,
                      std::int64_t rounds);
/// One element of `where`.
double select_element(double condition, double x, double y);
/// One element of an operator whose result is of `dtype`. `y` is not 0 where integers are divided.
double operator_element(Operator op, double x, double y, DType dtype);

/// For each element of `shape`, the index of the element of a tile of `from` that is broadcast to
/// it; an empty shape is broadcast to all. Of dimensions that are equal or 1.
std::vector<std::size_t> broadcast_indices(const Shape& from, const Shape& shape);

/// Along `dim`, in the order of the index.
std::vector<double> reduce(Op op, const Tile& x, std::size_t dim);
std::vector<double> scan(Op op, const Tile& x, std::size_t dim);

/// c (m, n) += a (m, k) * b (k, n), all row-major, summed in the order of k; in f32 when `single`.
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::size_t m, std::size_t n, std::size_t k, bool single);

}  // namespace ws::ir
