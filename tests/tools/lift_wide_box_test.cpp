// A store by TMA whose box is wider than a panel of its map: rows in shared memory are padded, and
// what lies beyond the panel is beyond the map.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// tests/lift/kernels/barrier_ring.cu, whose warpgroups store a panel of 64 columns by a box of 72.
std::string stored_from(const std::string& first_column) {
  std::string source = ir::repository_file("tests/lift/kernels/barrier_ring.cu");
  source.replace(source.find("      const int lane = threadIdx.x % 32;"), std::string::npos, R"(
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
)");
  for (const auto& [old, now] :
       {std::pair<std::string, std::string>("FIRST", first_column),
        {"half* C, int m", "const __grid_constant__ CUtensorMap tmC, int m"},
        {"  __shared__ barrier full",
         "  __shared__ __align__(128) half out[2 * 64 * 72];\n"
         "  __shared__ barrier full"}}) {
    const std::size_t at = source.find(old);
    REQUIRE_MESSAGE(at != std::string::npos, old);
    source.replace(at, old.size(), now);
  }
  return source;
}

Json lifted(const std::string& source) {
  const Json tma = Json::parse(ir::repository_file("examples/kernels/gemm-f16/tma.json"));
  const Json launch = {{"entry", "ring::gemm"},
                       {"grid", {"3"}},
                       {"block", {"384"}},
                       {"shared_bytes", "99328"},
                       {"args", {"tmA", "tmB", "tmC", "m", "n", "k"}}};
  const Json store = {{"name", "tmC"},
                      {"of", "C"},
                      {"shape", {"64", "m", "n // 64"}},
                      {"strides", {"2 * n", "128"}},
                      {"box", {"72", "64", "1"}}};
  const Json maps = {tma["tensor_maps"][0], tma["tensor_maps"][1], store};
  const Json kernel = {{"name", "wide"},      {"language", "cuda"},
                       {"source", source},    {"headers", tma["headers"]},
                       {"tensor_maps", maps}, {"launches", Json::array({launch})}};
  const Json problem = Json::parse(ir::repository_file("examples/kernels/gemm-f16/problem.json"));
  const Json compiled =
      tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  REQUIRE_MESSAGE(compiled.contains("kernel_id"), compiled.dump());
  return tools().result("lift_to_ir", {{"kernel_id", compiled["kernel_id"]},
                                       {"workload", {{"m", 256}, {"n", 384}, {"k", 128}}},
                                       {"detail", "full"}});
}

}  // namespace

TEST_SUITE("tools.lift_wide_box") {
  TEST_CASE("columns beyond a panel are neither stored nor read") {
    const Json lift = lifted(stored_from("0"));
    REQUIRE_MESSAGE(lift.contains("ir"), lift.dump());
    const std::string ir = lift["ir"];
    for (const char* part : {"self.out = alloc((2, 64, 72), \"shared\", \"f16\")",
                             " + 64], self.out[wg - 1, :, 0:64], instruction=\"tma\")"}) {
      CHECK_MESSAGE(ir.find(part) != std::string::npos, part, "\n", ir);
    }
  }

  TEST_CASE("a wide box from within a panel is told") {
    const Json lift = lifted(stored_from("8"));
    CHECK(lift["verdict"] == "partial");
    CHECK_MESSAGE(lift["not_lifted"].dump().find(
                      "a copy of a box that passes the end of its panel") != std::string::npos,
                  lift.dump());
  }
}

}  // namespace ws::test
