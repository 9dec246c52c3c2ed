// CUB's block and warp primitives on the CPU engine, against what their pages say.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// Runs a kernel k(int* y) of one block over 256 zeros.
EngineResult run_cub(const std::string& body, std::array<std::int64_t, 3> block = {64, 1, 1}) {
  EngineRun run;
  run.source =
      "#include <cub/cub.cuh>\n#include <cuda/functional>\n__global__ void k(int* y) {\n"
      "  int t = threadIdx.y * blockDim.x + threadIdx.x;\n" +
      body + "}\n";
  run.entry = "k";
  run.block = block;
  run.buffers = {buffer_of("y", DType::kI32, 256)};
  return run_engine(run, [](EngineResult& result) {
    for (int& v : result.buffer<int>(0)) {
      v = 0;
    }
  });
}

}  // namespace

TEST_SUITE("device.cpu.cub_headers") {
  TEST_CASE("the first thread of a block has its reduction, also of a part and of a plane") {
    const EngineResult result = run_cub(
        "  typedef cub::BlockReduce<int, 64> Reduce;\n  __shared__ Reduce::TempStorage room;\n"
        "  int sum = Reduce(room).Sum(t + 1);\n  __syncthreads();\n"
        "  int most = Reduce(room).Reduce(t * 37 % 64, cuda::maximum<>());\n  __syncthreads();\n"
        "  int part = Reduce(room).Sum(1, 10);\n  __syncthreads();\n"
        "  int four[4] = {1, 2, 3, t};\n  int all = Reduce(room).Sum(four);\n"
        "  if (t == 0) { y[0] = sum; y[1] = most; y[2] = part; y[3] = all; }\n");
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const int want[] = {2080, 63, 10, 64 * 6 + 2016};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(result.buffer<int>(0)[i] == want[i]);
    }
    const EngineResult plane = run_cub(
        "  typedef cub::BlockReduce<int, 8, cub::BLOCK_REDUCE_RAKING, 8> Reduce;\n"
        "  __shared__ Reduce::TempStorage room;\n  int least = Reduce(room).Reduce(100 - t, "
        "cub::Min());\n  if (t == 0) y[0] = least;\n",
        {8, 8, 1});
    REQUIRE_MESSAGE(plane.outcome.ok(), plane.fault().message);
    CHECK(plane.buffer<int>(0)[0] == 37);
  }

  TEST_CASE("a block's scan gives each thread what is before it, and all of it") {
    const EngineResult result = run_cub(
        "  typedef cub::BlockScan<int, 64> Scan;\n  __shared__ Scan::TempStorage room;\n"
        "  int before, with, all;\n  Scan(room).ExclusiveSum(t, before, all);\n  "
        "__syncthreads();\n  Scan(room).InclusiveScan(t % 7, with, cub::Max());\n"
        "  __syncthreads();\n  int two[2] = {1, t};\n  Scan(room).InclusiveSum(two, two);\n"
        "  y[t] = before; y[64 + t] = all * 1000 + with; y[128 + t] = two[0]; y[192 + t] = "
        "two[1];\n");
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto y = result.buffer<int>(0);
    for (int t = 0; t < 64; ++t) {
      const auto at = static_cast<std::size_t>(t);
      CHECK(y[at] == t * (t - 1) / 2);
      CHECK(y[64 + at] == 2016 * 1000 + std::min(t, 6));
      CHECK(y[128 + at] == t + 1 + t * (t - 1) / 2);
      CHECK(y[192 + at] == t + 1 + t * (t + 1) / 2);
    }
  }

  TEST_CASE("warps and parts of warps reduce and scan") {
    const EngineResult result = run_cub(
        "  typedef cub::WarpReduce<int, 16> Reduce;\n  typedef cub::WarpScan<int> Scan;\n"
        "  __shared__ Reduce::TempStorage rooms[4];\n  __shared__ Scan::TempStorage other[2];\n"
        "  int sum = Reduce(rooms[t / 16]).Sum(t);\n"
        "  int some = Reduce(rooms[t / 16]).Reduce(t, cub::Max(), 5);\n"
        "  int before, all;\n  Scan(other[t / 32]).ExclusiveScan(1, before, 10, cub::Sum(), all);\n"
        "  if (t % 16 == 0) { y[t / 16] = sum; y[4 + t / 16] = some; }\n"
        "  y[64 + t] = before * 100 + all;\n");
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto y = result.buffer<int>(0);
    for (int part = 0; part < 4; ++part) {
      CHECK(y[static_cast<std::size_t>(part)] == 256 * part + 120);
      CHECK(y[static_cast<std::size_t>(4 + part)] == 16 * part + 4);
    }
    for (int t = 0; t < 64; ++t) {
      CHECK(y[static_cast<std::size_t>(64 + t)] == (10 + t % 32) * 100 + 32);
    }
  }

  TEST_CASE("loads, exchanges and stores arrange a block's values") {
    const EngineResult result = run_cub(
        "  typedef cub::BlockExchange<int, 64, 2> Exchange;\n"
        "  __shared__ Exchange::TempStorage room;\n  int items[2] = {2 * t, 2 * t + 1};\n"
        "  cub::BlockStore<int, 64, 2>().Store(y, items);\n  __syncthreads();\n"
        "  cub::BlockLoad<int, 64, 2, cub::BLOCK_LOAD_STRIPED>().Load(y, items, 100, -1);\n"
        "  Exchange(room).StripedToBlocked(items);\n"
        "  cub::StoreDirectBlocked(t, y + 128, items);\n");
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    const auto y = result.buffer<int>(0);
    for (int i = 0; i < 128; ++i) {
      CHECK(y[static_cast<std::size_t>(i)] == i);
      CHECK(y[static_cast<std::size_t>(128 + i)] == (i < 100 ? i : -1));
    }
  }
}

}  // namespace ws::test
