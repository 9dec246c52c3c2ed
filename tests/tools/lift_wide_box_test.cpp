// A store by TMA whose box is wider than a panel of its map: rows in shared memory are padded, and
// what lies beyond the panel is beyond the map.
#include <doctest/doctest.h>

#include "tests/support/ring_kernel.h"

namespace ws::test {
namespace {

/// tests/lift/kernels/barrier_ring.cu, whose warpgroups store a panel of 64 columns by a box of 72.
/// @param width  The map's first size.
Json lifted(const std::string& first_column, const std::string& width = "64") {
  const std::string end = R"(
      if (threadIdx.x % 128 == 0) {
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&tmC),
                     "r"(static_cast<unsigned>(__cvta_generic_to_shared(out + group * 64 * 72))),
                     "r"(FIRST), "r"(row + group * 64), "r"(column / 64) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
      }
    }
  }
}

}  // namespace ring
)";
  const Json store = {{"name", "tmC"},
                      {"of", "C"},
                      {"shape", {width, "m", "n // 64"}},
                      {"strides", {"2 * n", "128"}},
                      {"box", {"72", "64", "1"}}};
  return lift_ring(ring_source_with_end(
                       end, {{"FIRST", first_column},
                             {"half* C, int m", "const __grid_constant__ CUtensorMap tmC, int m"},
                             {"  __shared__ barrier full",
                              "  __shared__ __align__(128) half out[2 * 64 * 72];\n"
                              "  __shared__ barrier full"}}),
                   {.workload = {{"m", 256}, {"n", 384}, {"k", 128}},
                    .args = {"tmA", "tmB", "tmC", "m", "n", "k"},
                    .more_maps = Json::array({store}),
                    .more_problem_args = Json::array()})
      .lift;
}

}  // namespace

TEST_SUITE("tools.lift_wide_box") {
  TEST_CASE("columns beyond a panel are neither stored nor read") {
    const Json lift = lifted("0");
    REQUIRE_MESSAGE(lift.contains("ir"), lift.dump());
    const std::string ir = lift["ir"];
    for (const char* part : {"self.out = alloc((2, 64, 72), \"shared\", \"f16\")",
                             " + 64], self.out[wg - 1, :, 0:64], instruction=\"tma\")"}) {
      CHECK_MESSAGE(ir.find(part) != std::string::npos, part, "\n", ir);
    }
  }

  TEST_CASE("a wide box from within a panel is told") {
    const Json lift = lifted("8");
    CHECK(lift["verdict"] == "partial");
    CHECK_MESSAGE(lift["not_lifted"].dump().find(
                      "a copy of a box that passes the end of its panel") != std::string::npos,
                  lift.dump());
  }

  TEST_CASE("a map whose rows end before its panels do is told") {
    const Json lift = lifted("0", "32");
    CHECK(lift["verdict"] == "partial");
    CHECK_MESSAGE(lift["not_lifted"].dump().find(
                      "a copy of a box by a tensor map that is no view by rows and columns") !=
                      std::string::npos,
                  lift.dump());
  }
}

}  // namespace ws::test
