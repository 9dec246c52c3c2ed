// The helper files for products of matrices, on a GPU.
#include <doctest/doctest.h>

#include "tests/support/gpu_helpers.h"

namespace ws::test {
namespace {

/// 16 x 8 three times by each warp: halves, B in rows of n, bf16. The rest is 0.
constexpr const char* kWarpProduct = R"cu(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "ws_mma.cuh"
__device__ void store(int* out, const float (&c)[4]) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  for (int i = 0; i < 4; ++i) out[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = (int)c[i];
}
__global__ void f(const int* in, int* out) {
  __shared__ __align__(16) half a[16][16], b[8][16], rows[16][8];
  __shared__ __align__(16) __nv_bfloat16 a2[16][16], b2[8][16];
  const int lane = threadIdx.x;
  in += blockIdx.x * 1024;
  out += blockIdx.x * 1024;
  for (int i = lane; i < 256; i += 32) {
    a[i / 16][i % 16] = __int2half_rn(in[i]);
    a2[i / 16][i % 16] = __float2bfloat16((float)in[i]);
  }
  for (int i = lane; i < 128; i += 32) {
    b[i / 16][i % 16] = rows[i % 16][i / 16] = __int2half_rn(in[256 + i]);
    b2[i / 16][i % 16] = __float2bfloat16((float)in[256 + i]);
  }
  for (int i = 384 + lane; i < 1024; i += 32) out[i] = 0;
  __syncwarp();
  unsigned of_a[4], of_b[4];
  ws::ldmatrix_4(of_a, &a[lane % 16][lane / 16 * 8]);
  ws::ldmatrix_4(of_b, &b[lane % 8][lane / 8 % 2 * 8]);
  float first[4] = {}, second[4] = {}, third[4] = {};
  ws::mma_f16(first, of_a, {of_b[0], of_b[1]});
  ws::ldmatrix_4_transposed(of_b, &rows[lane % 16][0]);
  ws::mma_f16(second, of_a, {of_b[0], of_b[1]});
  ws::ldmatrix_4(of_a, &a2[lane % 16][lane / 16 * 8]);
  ws::ldmatrix_4(of_b, &b2[lane % 8][lane / 8 % 2 * 8]);
  ws::mma_bf16(third, of_a, {of_b[0], of_b[1]});
  store(out, first);
  store(out + 128, second);
  store(out + 256, third);
}
)cu";

int warp_product(std::span<const int> in, int i) {
  const std::span<const int> mine = in.subspan(i / 1024 * 1024, 1024);
  const int place = i % 1024 % 128;
  int sum = 0;
  for (int k = 0; k < 16; ++k) {
    sum += mine[place / 8 * 16 + k] * mine[256 + place % 8 * 16 + k];
  }
  return i % 1024 < 384 ? sum : 0;
}

/// 64 x 128 from 64 x 64 and 128 x 64, by the second warpgroup, in one product or two halves. B is
/// in rows of k, or, with A in registers, in rows of n.
constexpr const char* kGroupProduct = R"cu(
#include <cuda_fp16.h>
#include "ws_mbarrier.cuh"
#include "ws_wgmma_registers.cuh"
template <int N>
__device__ void store(int* out, int column, const float (&d)[N]) {
  const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4;
  for (int i = 0; i < N; ++i) {
    out[(row + i % 4 / 2 * 8) * 128 + column + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = (int)d[i];
  }
}
__device__ unsigned two_halves(const int* from) {
  const half2 both = __floats2half2_rn((float)from[0], (float)from[1]);
  return *reinterpret_cast<const unsigned*>(&both);
}
__global__ __launch_bounds__(256, 1) void f(const int* in, int* out) {
  __shared__ __align__(1024) unsigned char a[64 * 128], b[128 * 128];
  for (int i = threadIdx.x; i < 8192; i += 256) {
    const half value = __int2half_rn(in[i]);
    const unsigned by_k = ws::swizzle_128(i * 2), row = i / 128, column = i % 128;
    const unsigned by_n = column / 64 * 8192 + ws::swizzle_128(row * 128 + column % 64 * 2);
    if (i < 4096) *reinterpret_cast<half*>(a + by_k) = value;
    *reinterpret_cast<half*>(b + (A_IN_REGISTERS ? by_n : by_k)) = value;
  }
  ws::fence_async_shared();
  __syncthreads();
  if (threadIdx.x < 128) {
    ws::fewer_registers<24>();
    return;
  }
  ws::more_registers<232>();
  const int row = threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
  float left[32], right[32], whole[64];
  unsigned of_a[4][4];
  for (int s = 0; s < 4; ++s) {
    for (int i = 0; i < 4; ++i) {
      of_a[s][i] = two_halves(in + (row + i % 2 * 8) * 64 + s * 16 + i / 2 * 8 + pair);
    }
  }
  ws::wgmma_fence();
#pragma unroll
  for (int s = 0; s < 4; ++s) {
#if A_IN_REGISTERS
    const unsigned long long here = ws::wgmma_rows(b + s * 2048, 8192);
    ws::wgmma_registers(left, of_a[s], here, s != 0);
    ws::wgmma_registers(right, of_a[s], ws::wgmma_rows(b + 8192 + s * 2048, 8192), s != 0);
    ws::wgmma_registers(whole, of_a[s], here, s != 0);
#else
    const unsigned long long at = ws::wgmma_tile(a + s * 32), here = ws::wgmma_tile(b + s * 32);
    ws::wgmma_64x64x16(left, at, here, s != 0);
    ws::wgmma_64x64x16(right, at, ws::wgmma_tile(b + 8192 + s * 32), s != 0);
    ws::wgmma_64x128x16(whole, at, here, s != 0);
#endif
  }
  ws::wgmma_commit();
  ws::wgmma_wait<0>();
#if WHOLE
  store(out, 0, whole);
#else
  store(out, 0, left);
  store(out, 64, right);
#endif
}
)cu";

int group_product(std::span<const int> in, int i) {
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    sum += in[i / 128 * 64 + k] * in[i % 128 * 64 + k];
  }
  return sum;
}

int group_product_by_rows(std::span<const int> in, int i) {
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    sum += in[i / 128 * 64 + k] * in[k * 128 + i % 128];
  }
  return sum;
}

#define ONE_BLOCK(macros)                                                                    \
  R"({"macros": ")" macros R"(", "launches": [{"entry": "f", "grid": [1], "block": [256], )" \
  R"("args": ["A", "B"]}]})"

const GpuHelper kHelpers[] = {
    {{"mma.sync and ldmatrix", kWarpProduct,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [32], "args": ["A", "B"]}]})"},
     warp_product},
    {{"wgmma, 64 x 64", kGroupProduct, ONE_BLOCK("#define A_IN_REGISTERS 0\\n#define WHOLE 0\\n")},
     group_product},
    {{"wgmma, 64 x 128", kGroupProduct, ONE_BLOCK("#define A_IN_REGISTERS 0\\n#define WHOLE 1\\n")},
     group_product},
    {{"wgmma from registers, 64 x 64", kGroupProduct,
      ONE_BLOCK("#define A_IN_REGISTERS 1\\n#define WHOLE 0\\n")},
     group_product_by_rows},
    {{"wgmma from registers, 64 x 128", kGroupProduct,
      ONE_BLOCK("#define A_IN_REGISTERS 1\\n#define WHOLE 1\\n")},
     group_product_by_rows},
};

}  // namespace

TEST_SUITE("gpu.helpers") {
  TEST_CASE("products compile for a GPU that has what they need") {
    helpers_compile(kHelpers);
  }

  TEST_CASE("products do on a GPU what their comments say") {
    helpers_compute(kHelpers);
  }
}

}  // namespace ws::test
