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

/// A product of square matrices of 512 rows.
constexpr Case product(const char* entry, std::int64_t tile, double goal) {
  const std::int64_t blocks = 512 / tile;
  return {entry,
          loop_matmul,
          {blocks, blocks, 1},
          {tile, tile, 1},
          kMatrix,
          kMatrix,
          /*two_inputs=*/true,
          512,
          0,
          goal};
}

/// A kernel of 1024 rows of 512 columns.
constexpr Case by_rows(const char* entry, PlainLoop loop, std::int64_t blocks,
                       std::int64_t threads) {
  return {entry,
          loop,
          {blocks, 1, 1},
          {threads, 1, 1},
          kMillion / 2,
          kMillion / 2,
          /*two_inputs=*/false,
          1024,
          512,
          0.2};
}

constexpr Case sum(const char* entry) {
  return {entry,
          loop_sum,
          {4096, 1, 1},
          {256, 1, 1},
          kMillion,
          4096,
          /*two_inputs=*/false,
          kMillion,
          0,
          0.2};
}

inline constexpr Case kCases[] = {
    {"vadd", loop_vadd, {4096, 1, 1}, {256, 1, 1}, kMillion, kMillion, true, kMillion, 0, 0.6},
    product("matmul_naive", 16, 0.3),
    product("matmul_tiled16", 16, 0.5),
    product("matmul_tiled32", 32, 0.8),
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
    by_rows("softmax_warp", loop_softmax, 256, 128),
    by_rows("softmax_block", loop_softmax, 1024, 256),
    sum("sum_shuffle"),
    sum("sum_shared"),
    by_rows("layernorm_warp", loop_layernorm, 256, 128),
    by_rows("layernorm_block", loop_layernorm, 1024, 256),
};

}  // namespace ws::bench
