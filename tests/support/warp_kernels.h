// Kernels whose blocks are single warps that multiply two matrices of halves: what lift_to_ir makes
// of them, and whether it computes what they have to.
#pragma once

#include <string>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// c = a b, halves by rows; m and n are 64, k is 96.
Json warp_product();

/// Blocks of one warp, each with 16 x 16 elements of c from `row` and `column` on.
/// @param body  Knows `lane`, `row`, `column`, the arguments, and 8 KiB of shared memory.
Json warp_kernel(const std::string& body);

/// Fragments `x` and `y` of the operands, and `sum`, cleared, for a body of warp_kernel().
inline constexpr const char* kFragments =
    "  fragment<matrix_a, 16, 16, 16, half, row_major> x;\n"
    "  fragment<matrix_b, 16, 16, 16, half, row_major> y;\n"
    "  fragment<accumulator, 16, 16, 16, half> sum;\n"
    "  fill_fragment(sum, 0.0);\n";

/// Stores `sum` as the warp's elements of c.
inline constexpr const char* kStored =
    "  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);\n";

/// A stored kernel and what lift_to_ir makes of it.
struct WarpLift {
  Json compiled;
  Json lift;
};

/// The CPU engine does not run every kernel here: one that it refuses is stored all the same.
WarpLift lift_of(const Json& kernel, const Json& problem = warp_product());

/// The program of a kernel, which has to compute what the problem's reference does.
std::string right_warp_program(const Json& kernel, const Json& problem = warp_product());

/// The verdict on a kernel's program beside the problem's reference, or why there is no program.
std::string outcome_of_warps(const Json& kernel, const Json& problem = warp_product());

/// The first reason for which a kernel of this body is not lifted.
std::string first_reason(const std::string& body);

}  // namespace ws::test
