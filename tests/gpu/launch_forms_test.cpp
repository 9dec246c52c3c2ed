// Tensor maps, clusters, cooperative and overlapping launches from their forms to a GPU's results.
// Where no GPU is they are compiled for one, where no toolkit is left out.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "tests/support/gpu_form.h"

namespace ws::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLimit{20'000};
constexpr int kRows = 64;

/// One block fetches 8 rows through the tensor map; where a row's chunks of 16 bytes lie after
/// the swizzle is PLACE.
constexpr const char* kFetch = R"cu(
#include <cuda.h>
__global__ void fetch(const __grid_constant__ CUtensorMap map, int* out, int rows) {
  __shared__ alignas(1024) int tile[8 * 32];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned tile_at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned bar_at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 ::"r"(bar_at), "n"(8 * 32 * 4) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(tile_at), "l"(&map), "r"(0), "r"(int(blockIdx.x) * 8), "r"(bar_at)
                 : "memory");
  }
  asm volatile("{\n.reg .pred p;\nagain:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}"
               ::"r"(bar_at) : "memory");
  for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) {
    const int r = i / 32, c = i % 32, row = blockIdx.x * 8 + r;
    if (row < rows) { out[row * 32 + c] = tile[r * 32 + PLACE] + 1; }
  }
}
)cu";

/// Each block of a pair reads the other one's shared memory.
constexpr const char* kNeighbour = R"cu(
#include <cooperative_groups.h>
__global__ void neighbour(const int* in, int* out) {
  __shared__ int mine[32];
  auto cluster = cooperative_groups::this_cluster();
  const unsigned other = cluster.block_rank() ^ 1u;
  mine[threadIdx.x] = in[(blockIdx.x ^ 1) * 32 + threadIdx.x];
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] =
      *cluster.map_shared_rank(&mine[threadIdx.x], other) + (cluster.num_blocks() == 2 ? 1 : 9);
  cluster.sync();
}
)cu";

/// Every block reads what another one wrote before the barrier of the grid.
constexpr const char* kWholeGrid = R"cu(
#include <cooperative_groups.h>
__global__ void whole_grid(const int* in, int* partial, int* out, int rows) {
  const int other = rows - 1 - blockIdx.x;
  partial[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] + 1;
  cooperative_groups::this_grid().sync();
  out[other * 32 + threadIdx.x] = partial[other * 32 + threadIdx.x];
}
)cu";

/// The second kernel may start before the first has ended, and waits for it.
constexpr const char* kDependent = R"cu(
__global__ void first(const int* in, int* partial) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  for (long long end = clock64() + 20000; clock64() < end;) { }
  partial[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
}
__global__ void second(const int* partial, int* out) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  out[blockIdx.x * 32 + threadIdx.x] = partial[blockIdx.x * 32 + threadIdx.x] + 1;
}
)cu";

/// Reads each element by READ.
constexpr const char* kTexture = R"cu(
__global__ void texels(cudaTextureObject_t t, int* out) {
  const int c = threadIdx.x, r = blockIdx.x;
  out[r * 32 + c] = READ + 1;
}
)cu";

const GpuForm kForms[] = {
    {"a texture of rows in place", kTexture,
     R"json({"macros": "#define READ tex2D<int>(t, c + 0.5f, r + 0.5f)\n",
         "launches": [{"entry": "texels", "grid": ["rows"], "block": [32],
                       "args": [{"texture": "A", "width": 32, "height": "rows"}, "B"]}]})json"},
    {"a texture in linear memory", kTexture,
     R"json({"macros": "#define READ tex1Dfetch<int>(t, r * 32 + c) + tex1Dfetch<int>(t, -1)\n",
         "launches": [{"entry": "texels", "grid": ["rows"], "block": [32],
                       "args": [{"texture": "A", "width": "32 * rows", "fetch": true}, "B"]}]})json"},
    {"a copied texture of texels of two", kTexture,
     R"json({"macros": "#define READ (c % 2 ? tex1D<int2>(t, (r * 32 + c) / 2 + 0.5f).y : tex1D<int2>(t, (r * 32 + c) / 2 + 0.5f).x)\n",
         "launches": [{"entry": "texels", "grid": ["rows"], "block": [32],
                       "args": [{"texture": "A", "width": "16 * rows", "channels": 2}, "B"]}]})json"},
    {"a copied texture of three dimensions, mirrored", kTexture,
     R"json({"macros": "#define READ tex3D<int>(t, 2 - (c + 0.5f) / 32, (r % 4 + 0.5f) / 4 - 2, (r / 4 + 0.5f) / (gridDim.x / 4))\n",
         "launches": [{"entry": "texels", "grid": ["rows"], "block": [32],
                       "args": [{"texture": "A", "width": 32, "height": 4, "depth": "rows // 4",
                                 "address": "mirror", "normalized": true}, "B"]}]})json"},
    {"a tensor map with all its defaults", kFetch,
     R"json({"macros": "#define PLACE c\n",
         "tensor_maps": [{"name": "tm", "of": "A", "box": [32, 8]}],
         "launches": [{"entry": "fetch", "grid": ["rows // 8"], "block": [128],
                       "args": ["tm", "B", "rows"]}]})json"},
    {"a swizzled tensor map, every field of it", kFetch,
     R"json({"macros": "#define PLACE ((((c / 4) ^ r) * 4) + c % 4)\n",
         "tensor_maps": [{"name": "tm", "of": "A", "type": "i32", "shape": [32, "rows"],
                          "strides": [128], "box": [32, 8], "element_strides": [1, 1],
                          "interleave": "none", "swizzle": "128B", "l2": "256B", "oob": "zero"}],
         "launches": [{"entry": "fetch", "grid": ["rows // 8"], "block": [128],
                       "args": ["tm", "B", "rows"]}]})json"},
    {"a cluster", kNeighbour,
     R"json({"launches": [{"entry": "neighbour", "grid": ["rows"], "block": [32], "cluster": [2],
                             "args": ["A", "B"]}]})json"},
    {"a cooperative launch", kWholeGrid,
     R"json({"scratch": [{"name": "partial", "type": "i32", "shape": ["rows", 32]}],
         "launches": [{"entry": "whole_grid", "grid": ["rows"], "block": [32],
                       "cooperative": true, "args": ["A", "partial", "B", "rows"]}]})json"},
    {"a dependent launch", kDependent,
     R"json({"scratch": [{"name": "partial", "type": "i32", "shape": ["rows", 32]}],
         "launches": [{"entry": "first", "grid": ["rows"], "block": [32], "args": ["A", "partial"]},
                      {"entry": "second", "grid": ["rows"], "block": [32], "pdl": true,
                       "args": ["partial", "B"]}]})json"},
};

bool is_right(const Prepared& prepared) {
  const std::span<int> in = ints(prepared, 0);
  return std::ranges::equal(ints(prepared, 1), in, {}, {}, [](int value) { return value + 1; });
}

}  // namespace

TEST_SUITE("gpu.launch_forms") {
  TEST_CASE("every form of launch compiles for a GPU that has it") {
    const std::unique_ptr<Backend> backend = form_compiler();
    if (backend == nullptr) {
      return;
    }
    for (const GpuForm& row : kForms) {
      CAPTURE(std::string(row.name));
      CHECK(compiled_form(*backend, row, kRows).ok());
    }
  }

  TEST_CASE("every form of launch gives the right result on a GPU, timed too") {
    Backend* const gpu = form_gpu("the forms of launch");
    if (gpu == nullptr) {
      return;
    }
    for (const GpuForm& row : kForms) {
      CAPTURE(std::string(row.name));
      auto prepared = prepare(*gpu, compiled_form(*gpu, row, kRows), RunAs::kCandidate);
      REQUIRE_MESSAGE(prepared.has_value(), to_text(prepared.error()));
      const std::span<int> in = ints(*prepared, 0);
      std::iota(in.begin(), in.end(), 7);
      std::ranges::fill(ints(*prepared, 1), 0);
      const auto outcome = prepared->session->run(3, kLimit, {});
      REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
      CHECK(outcome->ok());
      CHECK(is_right(*prepared));
      std::ranges::fill(ints(*prepared, 1), 0);
      const auto timing =
          prepared->session->time({.poison = 47, .launches = 5, .hot = 0}, kLimit, {});
      REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
      CHECK(timing->run.ok());
      CHECK(is_right(*prepared));
      MESSAGE(std::string(row.name) << ": " << timing->samples.front().us << " us");
    }
  }
}

}  // namespace ws::test
