// The helper files that passes import, on a GPU: what each kernel makes of its numbers against what
// the helpers promise. Where no GPU is they are compiled for one, where no tool kit is left out.
#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/offline_backend.h"
#include "tests/support/contract_device.h"
#include "tests/support/gpu_form.h"
#include "tests/support/tool_bench.h"
#include "tools/common/skills.h"

namespace ws::test {
namespace {

constexpr int kRows = 256;

/// Every block has 32 rows; two rows of four by pieces of 16 bytes, two numbers of three by 4
/// bytes.
constexpr const char* kCopy = R"cu(
#include "ws_cp_async.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ __align__(16) int pieces[1024], words[1024];
  const int t = threadIdx.x;
  in += blockIdx.x * 1024;
  ws::cp_async_16(&pieces[t * 4], in + t * 4, t / 8 % 4 < 2);
  ws::cp_async_commit();
  for (int i = t; i < 1024; i += 256) ws::cp_async_4(&words[i], in + i, i % 3 != 0);
  ws::cp_async_commit();
  ws::cp_async_wait<1>();
  __syncthreads();
  int got[4];
  for (int i = 0; i < 4; ++i) got[i] = 1000 * pieces[i * 256 + t];
  ws::cp_async_wait<0>();
  __syncthreads();
  for (int i = 0; i < 4; ++i) out[blockIdx.x * 1024 + i * 256 + t] = got[i] + words[i * 256 + t];
}
)cu";

int copied(std::span<const int> in, int i) {
  const int row = i / 32;
  return (row % 4 < 2 ? 1000 * in[i] : 0) + (i % 1024 % 3 != 0 ? in[i] : 0);
}

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

/// One warp hands 32 rows to another one through two stages.
constexpr const char* kRing = R"cu(
#include "ws_mbarrier.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ int stage[2][32];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      ws::mbarrier_init(&full[i], 33);
      ws::mbarrier_init(&empty[i], 32);
    }
    ws::fence_barrier_init();
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int r = 0; r < 32; ++r) {
    const int s = r % 2, phase = r / 2 % 2, at = (blockIdx.x * 32 + r) * 32 + lane;
    if (threadIdx.x < 32) {
      ws::mbarrier_wait(&empty[s], phase ^ 1);
      stage[s][lane] = in[at];
      if (lane == 0) ws::mbarrier_arrive_expect(&full[s], 0);
      ws::mbarrier_arrive(&full[s]);
    } else {
      ws::mbarrier_wait(&full[s], phase);
      out[at] = stage[s][lane] + 1;
      ws::mbarrier_arrive(&empty[s]);
    }
  }
}
)cu";

int one_more(std::span<const int> in, int i) {
  return in[i] + 1;
}

/// Each block of a pair goes on when the other one says so.
constexpr const char* kRemote = R"cu(
#include "ws_tma.cuh"
__global__ void f(const int* in, int* out) {
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    ws::mbarrier_init(&bar, 32);
    ws::fence_barrier_init();
  }
  ws::cluster_sync();
  ws::mbarrier_arrive_remote(&bar, ws::cluster_block() ^ 1);
  ws::mbarrier_wait(&bar, 0);
  const int at = blockIdx.x * 32 + threadIdx.x;
  out[at] = in[at] + (ws::cluster_block() == blockIdx.x % 2 ? 1 : 9);
  ws::cluster_sync();
}
)cu";

/// Boxes of 8 rows, in by three dimensions and out by two.
constexpr const char* kBoxes = R"cu(
#include <cuda.h>
#include "ws_tma.cuh"
__global__ void f(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(128) int tile[256];
  __shared__ __align__(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    ws::tma_prefetch(&from);
    ws::mbarrier_init(&bar, 1);
    ws::fence_async_shared();
    ws::mbarrier_arrive_expect(&bar, sizeof(tile));
    ws::tma_load_3d(tile, &from, &bar, 0, 0, blockIdx.x);
  }
  __syncthreads();
  ws::mbarrier_wait(&bar, 0);
  tile[threadIdx.x] += 1;
  ws::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ws::tma_store_2d(&to, tile, 0, blockIdx.x * 8);
    ws::tma_store_commit();
    ws::tma_store_wait_read<0>();
  }
}
)cu";

/// Each block of a pair loads 8 rows for both.
constexpr const char* kMulticast = R"cu(
#include <cuda.h>
#include "ws_tma.cuh"
__global__ void f(const __grid_constant__ CUtensorMap from, int* out) {
  __shared__ __align__(128) int tile[2][256];
  __shared__ __align__(8) unsigned long long bar;
  const int rank = ws::cluster_block();
  if (threadIdx.x == 0) {
    ws::mbarrier_init(&bar, 1);
    ws::fence_barrier_init();
    ws::mbarrier_arrive_expect(&bar, sizeof(tile));
  }
  ws::cluster_sync();
  if (threadIdx.x == 0) ws::tma_load_2d_multicast(tile[rank], &from, &bar, 0, blockIdx.x * 8, 3);
  ws::mbarrier_wait(&bar, 0);
  out[blockIdx.x * 256 + threadIdx.x] = tile[rank][threadIdx.x] + tile[rank ^ 1][threadIdx.x];
  ws::cluster_sync();
}
)cu";

int with_the_pair(std::span<const int> in, int i) {
  return in[i] + in[i ^ 256];
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

struct HelperRow {
  GpuForm form;
  int (*expected)(std::span<const int> in, int i);
};

#define ONE_BLOCK(macros)                                                                    \
  R"({"macros": ")" macros R"(", "launches": [{"entry": "f", "grid": [1], "block": [256], )" \
  R"("args": ["A", "B"]}]})"

const HelperRow kHelpers[] = {
    {{"cp.async, both widths, zeros outside", kCopy,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [256], "args": ["A", "B"]}]})"},
     copied},
    {{"mma.sync and ldmatrix", kWarpProduct,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [32], "args": ["A", "B"]}]})"},
     warp_product},
    {{"mbarrier, 16 phases of two stages", kRing,
      R"({"launches": [{"entry": "f", "grid": ["rows // 32"], "block": [64], "args": ["A", "B"]}]})"},
     one_more},
    {{"an arrival at another block's mbarrier", kRemote,
      R"({"launches": [{"entry": "f", "grid": ["rows"], "block": [32], "cluster": [2],
                        "args": ["A", "B"]}]})"},
     one_more},
    {{"TMA in three dimensions, and a store", kBoxes,
      R"({"tensor_maps": [{"name": "from", "of": "A", "shape": [32, 8, "rows // 8"],
                           "strides": [128, 1024], "box": [32, 8, 1]},
                          {"name": "to", "of": "B", "box": [32, 8]}],
          "launches": [{"entry": "f", "grid": ["rows // 8"], "block": [256],
                        "args": ["from", "to"]}]})"},
     one_more},
    {{"TMA to both blocks of a cluster", kMulticast,
      R"({"tensor_maps": [{"name": "from", "of": "A", "box": [32, 8]}],
          "launches": [{"entry": "f", "grid": ["rows // 8"], "block": [256], "cluster": [2],
                        "args": ["from", "B"]}]})"},
     with_the_pair},
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

Compiled compiled_with_helpers(Backend& backend, const GpuForm& form) {
  return compiled_form(backend, form, kRows, current_skills(tools().services().options).helpers);
}

}  // namespace

TEST_SUITE("gpu.helpers") {
  TEST_CASE("every kernel of this suite compiles for a GPU that has what it needs") {
    const Result<Toolkit> toolkit = find_toolkit({});
    if (!toolkit) {
      MESSAGE("left out: no CUDA tool kit is here");
      return;
    }
    const auto backend = make_offline_cuda_backend(
        "sm_90a", std::make_shared<CompileService>(
                      nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit)));
    for (const HelperRow& row : kHelpers) {
      CAPTURE(std::string(row.form.name));
      CHECK(compiled_with_helpers(*backend, row.form).ok());
    }
  }

  TEST_CASE("every helper does on a GPU what its comment says") {
    Backend* const gpu = real_gpu();
    if (gpu == nullptr || gpu->info()->features.size() < 2) {
      MESSAGE("left out: the helper files on a GPU (none of sm_90 or newer is here)");
      return;
    }
    for (const HelperRow& row : kHelpers) {
      CAPTURE(std::string(row.form.name));
      auto prepared = prepare(*gpu, compiled_with_helpers(*gpu, row.form), RunAs::kCandidate);
      REQUIRE_MESSAGE(prepared.has_value(), to_text(prepared.error()));
      const std::span<int> in = ints(*prepared, 0);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<int>((i * 7 + i / 32 * 3) % 13) - 6;  // Sums of products stay exact.
      }
      const std::span<int> out = ints(*prepared, 1);
      std::ranges::fill(out, 12345);
      const auto outcome = prepared->session->run(3, std::chrono::milliseconds(20'000), {});
      REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
      CHECK(outcome->ok());
      int wrong = 0;
      for (int i = 0; i < static_cast<int>(out.size()); ++i) {
        wrong += static_cast<int>(out[i] != row.expected(in, i));
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace ws::test
