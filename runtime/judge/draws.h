// How the values of one input are drawn; used by fill_input only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// One input to be filled: a checked fill, its layout, its bytes and its own seed.
struct Canvas {
  const ArgSpec& arg;
  const BufferSpec& spec;
  std::span<std::byte> bytes;
  std::uint64_t seed;
};

/// The problem's own fill. @errors kInvalidArgument: the type cannot hold the values.
Status draw_declared(const Canvas& canvas);

/// The judge's mixtures, for float arguments filled `normal` or `uniform`.
Status draw_row_scaled(const Canvas& canvas);
Status draw_positive(const Canvas& canvas);
/// Zeros, and the declared fill in a tenth of the places, or in some 256 of a long row, of which
/// its first and its last one are two.
Status draw_sparse(const Canvas& canvas);

/// Magnitudes of the few large values of a normal fill.
struct LargeSpan {
  double low;
  double high;
};

/// Nothing where the domain does not reach far beyond the fill's usual values.
std::optional<LargeSpan> large_span(const ArgSpec& arg);

/// The declared normal fill, and in each row a large positive value and now and then one of either
/// sign: exp overflows f32 from 89 on. For arguments with a large_span().
Status draw_large(const Canvas& canvas);

/// Whole numbers or halves, as the seed says, small and few enough that a sum of `reduction_length`
/// products of two of them is exact in the argument's own precision (so in any wider accumulator
/// too). Sixteenths, where the domain has no two of them.
Status draw_exact(const Canvas& canvas, double reduction_length);

/// A few of the values that the declared fill draws, and of a range also two of its ends and zero:
/// two in each row, both as often and in random order, so that maxima, keys and counts tie.
Status draw_ties(const Canvas& canvas);

}  // namespace ws
