// How tensor-core kernels begin and end their sums: products that replace them, tiles that go out
// through shared memory and TMA.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

using Edits = std::vector<std::pair<std::string, std::string>>;

Json form(const std::string& path) {
  return Json::parse(ir::repository_file("examples/kernels/gemm-f16/" + path + ".json"));
}

struct Answer {
  std::string ir;
  Json checked;
};

/// A kernel of examples/kernels/gemm-f16 with texts that are there once replaced, lifted wholly.
/// @param checked  By verify_ir, in this mode.
Answer answer(const std::string& name, const Edits& edits, const std::string& mode,
              const Json& maps = Json()) {
  Json kernel = form(name);
  std::string source = kernel["source"];
  for (const auto& [old, now] : edits) {
    const std::size_t at = source.find(old);
    REQUIRE_MESSAGE(at != std::string::npos, old);
    source.replace(at, old.size(), now);
  }
  kernel["source"] = source;
  if (!maps.is_null()) {
    kernel["tensor_maps"] = maps;
  }
  const Json compiled =
      tools().result("compile_kernel", {{"problem", form("problem")}, {"kernel", kernel}});
  const Json workload = {{"m", 256}, {"n", 256}, {"k", 256}};
  const Json lift = tools().result(
      "lift_to_ir",
      {{"kernel_id", compiled["kernel_id"]}, {"workload", workload}, {"detail", "full"}});
  REQUIRE_MESSAGE(lift["verdict"] == "lifted", lift.dump());
  return {lift["ir"], tools().result("verify_ir", {{"ir", lift["ir"]},
                                                   {"problem_id", compiled["problem_id"]},
                                                   {"mode", mode},
                                                   {"schedules", 3},
                                                   {"workload", workload}})};
}

/// examples/kernels/gemm-f16/tma, whose tile goes out in two panels without a swizzle.
Edits panels(const std::string& fence) {
  return {{"half Cs[2][BN / 64][64][64];", "half Cs[2 * 2 * 64 * 64];"},
          {"    const int col = ws::swizzled_piece<8>(row, j % 8) * 8 + tid % 4 * 2;\n"
           "    *reinterpret_cast<half2*>(&shared.Cs[group][j / 8][row][col]) =\n"
           "        __floats2half2_rn(acc[4 * j], acc[4 * j + 1]);\n"
           "    *reinterpret_cast<half2*>(&shared.Cs[group][j / 8][row + 8][col]) =\n"
           "        __floats2half2_rn(acc[4 * j + 2], acc[4 * j + 3]);\n",
           "    const int at = (group * 2 + j / 8) * 4096 + row * 64 + j % 8 * 8 + tid % 4 * 2;\n"
           "    shared.Cs[at] = __float2half(acc[4 * j]);\n"
           "    shared.Cs[at + 1] = __float2half(acc[4 * j + 1]);\n"
           "    shared.Cs[at + 8 * 64] = __float2half(acc[4 * j + 2]);\n"
           "    shared.Cs[at + 8 * 64 + 1] = __float2half(acc[4 * j + 3]);\n"},
          {"  ws::fence_async_shared();\n", fence},
          {"    for (int c = 0; c < BN / 64; ++c) {\n"
           "      ws::tma_store_2d(&tmC, shared.Cs[group][c], col0 + c * 64, row0 + group * 64);\n"
           "    }\n",
           "    asm volatile(\"cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group "
           "[%0, {%2, %3, %4}], [%1];\" ::\"l\"(&tmC), "
           "\"r\"(ws::shared_address(&shared.Cs[group * 2 * 4096])), \"n\"(0), "
           "\"r\"(row0 + group * 64), \"r\"(col0 / 64) : \"memory\");\n"}};
}

Json panel_maps() {
  Json maps = form("tma")["tensor_maps"];
  maps[2] = {{"name", "tmC"},
             {"of", "C"},
             {"shape", {"64", "m", "n // 64"}},
             {"strides", {"2 * n", "128"}},
             {"box", {"64", "64", "2"}},
             {"swizzle", "none"}};
  return maps;
}

TEST_SUITE("tools.lift_epilogue") {
  TEST_CASE("a product that replaces its sums in the first round needs none before") {
    const Answer right =
        answer("warp_specialized",
               {{"float acc[BN / 128][64] = {};", "float acc[BN / 128][64];"},
                {"ws::wgmma_tile(&shared.Bs[s][c * 128][i * 16]), 1);",
                 "ws::wgmma_tile(&shared.Bs[s][c * 128][i * 16]), t > 0 || i > 0);"}},
               "f32");
    CHECK_MESSAGE(right.ir.find("accumulate=") != std::string::npos, right.ir);
    CHECK_MESSAGE(right.checked["verdict"] == "ok", right.checked.dump());
    const Answer wrong =
        answer("warp_specialized", {{"float acc[BN / 128][64] = {};", "float acc[BN / 128][64];"}},
               "race_only");
    CHECK_MESSAGE(wrong.checked["verdict"] == "uninitialised_read", wrong.checked.dump());
  }

  TEST_CASE("a tile that threads store to shared memory goes out by TMA, a panel at a time") {
    const Answer right =
        answer("tma", panels("  ws::fence_async_shared();\n"), "f32", panel_maps());
    CHECK_MESSAGE(right.ir.find("copy_async(self.C[") != std::string::npos, right.ir);
    CHECK_MESSAGE(right.checked["verdict"] == "ok", right.checked.dump());
    const Answer wrong = answer("tma", panels(""), "race_only", panel_maps());
    CHECK_MESSAGE(wrong.checked["verdict"] == "missing_proxy_fence", wrong.checked.dump());
  }
}

}  // namespace
}  // namespace ws::test
