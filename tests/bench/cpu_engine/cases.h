// The kernels of kernels.cu, each beside its loop.
#pragma once

#include <array>
#include <cstdint>

#include "tests/bench/cpu_engine/loops.h"

namespace ws::bench {

struct Case {
  const char* entry;
  PlainLoop loop;
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> block;
  std::int64_t in;   ///< Elements of each input.
  std::int64_t out;  ///< Elements of the output.
  bool two_inputs;
  int rows;     ///< The kernel's first number.
  int columns;  ///< Its second one; 0: it has none.
  double goal;  ///< The speed that is wanted, as a share of the loop's; 0: none.
};

inline constexpr std::int64_t kMillion = 1 << 20;
inline constexpr std::int64_t kMatrix = std::int64_t{512} * 512;

inline constexpr Case kCases[] = {
    {"vadd", loop_vadd, {4096, 1, 1}, {256, 1, 1}, kMillion, kMillion, true, kMillion, 0, 0.6},
    {"matmul_naive", loop_matmul, {32, 32, 1}, {16, 16, 1}, kMatrix, kMatrix, true, 512, 0, 0.3},
    {"matmul_tiled16", loop_matmul, {32, 32, 1}, {16, 16, 1}, kMatrix, kMatrix, true, 512, 0, 0.5},
    {"matmul_tiled32", loop_matmul, {16, 16, 1}, {32, 32, 1}, kMatrix, kMatrix, true, 512, 0, 0.8},
    {"transpose_tiled",
     loop_transpose,
     {32, 32, 1},
     {32, 8, 1},
     kMillion,
     kMillion,
     false,
     1024,
     0,
     0.5},
    {"softmax_warp",
     loop_softmax,
     {256, 1, 1},
     {128, 1, 1},
     kMillion / 2,
     kMillion / 2,
     false,
     1024,
     512,
     0.2},
    {"softmax_block",
     loop_softmax,
     {1024, 1, 1},
     {256, 1, 1},
     kMillion / 2,
     kMillion / 2,
     false,
     1024,
     512,
     0.2},
    {"sum_shuffle", loop_sum, {4096, 1, 1}, {256, 1, 1}, kMillion, 4096, false, kMillion, 0, 0.2},
    {"sum_shared", loop_sum, {4096, 1, 1}, {256, 1, 1}, kMillion, 4096, false, kMillion, 0, 0.2},
    {"layernorm_warp",
     loop_layernorm,
     {256, 1, 1},
     {128, 1, 1},
     kMillion / 2,
     kMillion / 2,
     false,
     1024,
     512,
     0.2},
    {"layernorm_block",
     loop_layernorm,
     {1024, 1, 1},
     {256, 1, 1},
     kMillion / 2,
     kMillion / 2,
     false,
     1024,
     512,
     0.2},
};

}  // namespace ws::bench
