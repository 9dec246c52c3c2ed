// Indices of a skeleton, which are text, as sums: where an address lies in rows and columns.
#pragma once

#include <string_view>

#include "runtime/lift/input.h"
#include "runtime/lift/symbolic/poly.h"

namespace ws::lift {

/// "(qidx * 64 * 128) + (k * 16)" as 8192 * [qidx] + 16 * [k]. What is no sum of products, such as
/// `j % 2`, is a symbol of its own.
Poly index_poly(std::string_view text, Symbols& symbols);

/// The terms that `divisor` divides, over it, and the rest.
std::pair<Poly, Poly> split_multiple(const Poly& poly, std::int64_t divisor);

}  // namespace ws::lift
