// Sums that warps lay out in shared memory by stmatrix, before TMA stores them.
#include <doctest/doctest.h>

#include "tests/support/ring_kernel.h"

namespace ws::test {
namespace {

/// tests/lift/kernels/barrier_ring.cu with another end: a warp's 16 rows by stmatrix, and a store
/// of each warpgroup's tile by TMA.
const std::string kEnd = R"(      const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
      if (threadIdx.x % 128 == 0) ws::tma_store_wait_read<0>();
      asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
      half values[8];
      unsigned* words = reinterpret_cast<unsigned*>(values);
      for (int j = 0; j < BN / 16; ++j) {
        for (int e = 0; e < 8; ++e) values[e] = __float2half(d[0][j * 8 + e]);
        const unsigned to = ws::shared_address(&out[group][warp * 16 + lane % 16][j * 16 + lane / 16 * 8]);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                     "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]));
      }
      ws::fence_async_shared();
      asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
      if (threadIdx.x % 128 == 0) {
        ws::tma_store_2d(&tmC, &out[group][0][0], column, row + group * 64);
        ws::tma_store_commit();
      }
    }
    if (threadIdx.x % 128 == 0) ws::tma_store_wait_read<0>();
  }
}

}  // namespace ring
)";

Json checked(const Edits& edits, Json& lift) {
  const std::string source = ring_source_with_end(
      kEnd, {{"#include \"ws_wgmma.cuh\"", "#include \"ws_wgmma.cuh\"\n#include \"ws_tma.cuh\""},
             {"half* C, int m", "const __grid_constant__ CUtensorMap tmC, int m"},
             {"  __shared__ barrier full",
              "  __shared__ __align__(128) half out[2][64][BN];\n  __shared__ barrier full"}});
  const Json store = {{"name", "tmC"}, {"of", "C"}, {"box", {"128", "64"}}};
  const LiftedRing made =
      lift_ring(edited(source, edits), {.workload = {{"m", 256}, {"n", 384}, {"k", 128}},
                                        .args = {"tmA", "tmB", "tmC", "m", "n", "k"},
                                        .more_maps = Json::array({store}),
                                        .more_problem_args = Json::array()});
  lift = made.lift;
  return made.verified("f32", 2);
}

}  // namespace

TEST_SUITE("tools.lift_stmatrix") {
  TEST_CASE("what warps lay out by stmatrix is a tile in shared memory") {
    Json lift;
    const Json right = checked({}, lift);
    CHECK_MESSAGE(lift["verdict"] == "lifted", lift.dump());
    CHECK_MESSAGE(right["verdict"] == "ok", right.dump());
    const std::string ir = lift["ir"];
    CHECK_MESSAGE(ir.find("values_1 = to(d, \"f16\")") != std::string::npos, ir);
    CHECK_MESSAGE(ir.find("self.out[wg - 1, 0:64, 0:128] = values_1") != std::string::npos, ir);
  }

  TEST_CASE("an address is known that was made before the tiles, of a number that had changed") {
    Json lift;
    const Json right =
        checked({{"    float d[1][64];",
                  "    float d[1][64];\n    unsigned at = (threadIdx.x / 32 % 4 * 16 + threadIdx.x "
                  "% 16) * BN;\n"
                  "    at += threadIdx.x % 32 / 16 * 8;\n"
                  "    const unsigned base = ws::shared_address(&out[group][0][0]) + at * 2;"},
                 {"ws::shared_address(&out[group][warp * 16 + lane % 16][j * 16 + lane / 16 * 8])",
                  "base + j * 32"}},
                lift);
    CHECK_MESSAGE(lift["verdict"] == "lifted", lift.dump());
    CHECK_MESSAGE(right["verdict"] == "ok", right.dump());
  }

  TEST_CASE("registers that keep values from tile to tile, or that others read, stay in a hole") {
    const Edits rows[] = {
        {{"      half values[8];\n      unsigned* words = reinterpret_cast<unsigned*>(values);\n",
          ""},
         {"    float d[1][64];",
          "    float d[1][64];\n    half values[8];\n"
          "    unsigned* words = reinterpret_cast<unsigned*>(values);"}},
        {{"for (int j = 0; j < BN / 16; ++j) {",
          "for (int j = 0; j < BN / 16; ++j) {\n        const unsigned before = words[0];"},
         {"\"r\"(words[0])", "\"r\"(before)"}},
    };
    for (const Edits& edits : rows) {
      CAPTURE(edits[1].second);
      Json lift;
      checked(edits, lift);
      CHECK_MESSAGE(lift["verdict"] == "partial", lift.dump());
    }
  }

  TEST_CASE("the last of two stores to the same place counts, and what none fills is found") {
    Json lift;
    const Json wrong = checked({{"j * 16 + lane / 16 * 8", "j / 2 * 16 + lane / 16 * 8"}}, lift);
    CHECK_MESSAGE(lift["verdict"] == "lifted", lift.dump());
    CHECK_MESSAGE(wrong["verdict"] == "uninitialised_read", wrong.dump());
  }

  TEST_CASE("another layout is another tile, or no tile") {
    const Edits rows[] = {
        {{"\"r\"(words[1]), \"r\"(words[2])", "\"r\"(words[2]), \"r\"(words[1])"}},
        {{"m8n8.x4.shared", "m8n8.x4.trans.shared"}},
        {{"warp * 16 + lane % 16", "warp * 16 + (lane + 8) % 16"}},
    };
    for (const Edits& edits : rows) {
      CAPTURE(edits[0].second);
      Json lift;
      const Json wrong = checked(edits, lift);
      CHECK_MESSAGE((lift["verdict"] == "partial" || wrong["verdict"] == "incorrect"), lift.dump());
    }
  }

  TEST_CASE("a missing fence before the store is found") {
    Json lift;
    const Json wrong = checked({{"      ws::fence_async_shared();\n", ""}}, lift);
    CHECK(wrong["verdict"] == "missing_proxy_fence");
  }
}

}  // namespace ws::test
