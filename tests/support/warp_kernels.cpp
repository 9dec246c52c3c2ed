#include "tests/support/warp_kernels.h"

#include <doctest/doctest.h>

namespace ws::test {
namespace {

Json verified(const WarpLift& made) {
  return tools().result(
      "verify_ir",
      {{"problem_id", made.compiled["problem_id"]}, {"ir", made.lift["ir"]}, {"mode", "f32"}});
}

}  // namespace

Json warp_product() {
  return Json::parse(R"({
    "name": "warps",
    "dims": {"m": [64], "n": [64], "k": [96]},
    "args": [{"name": "a", "type": "f16", "shape": ["m", "k"], "role": "in", "fill": "normal"},
             {"name": "b", "type": "f16", "shape": ["k", "n"], "role": "in", "fill": "normal"},
             {"name": "c", "type": "f16", "shape": ["m", "n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "plain", "source":
      "#include <cuda_fp16.h>\n__global__ void plain(const half* a, const half* b, half* c, int n, int k) {\n  acc_t s = 0;\n  for (int p = 0; p < k; ++p) s += (acc_t)(float)a[blockIdx.y * k + p] * (acc_t)(float)b[p * n + blockIdx.x];\n  c[blockIdx.y * n + blockIdx.x] = (half)(float)s;\n}",
      "launches": [{"entry": "plain", "grid": ["n", "m"], "block": ["1"], "args": ["a", "b", "c", "n", "k"]}]}})");
}

Json warp_kernel(const std::string& body) {
  return {{"name", "warps"},
          {"language", "cuda"},
          {"source",
           "#include <cuda_fp16.h>\n#include <mma.h>\nusing namespace nvcuda::wmma;\n"
           "__global__ void warps(const half* a, const half* b, half* c, int m, int n, int k) {\n"
           "  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;\n" +
               body + "}\n"},
          {"launches", Json::parse(R"json([{"entry": "warps", "grid": ["n // 16", "m // 16"],
                                        "block": ["32"], "shared_bytes": 8192,
                                        "args": ["a", "b", "c", "m", "n", "k"]}])json")}};
}

WarpLift lift_of(const Json& kernel, const Json& problem) {
  WarpLift made;
  made.compiled = tools().result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  REQUIRE_MESSAGE(made.compiled.contains("kernel_id"), made.compiled.dump());
  made.lift =
      tools().result("lift_to_ir", {{"kernel_id", made.compiled["kernel_id"]}, {"detail", "full"}});
  return made;
}

std::string right_warp_program(const Json& kernel, const Json& problem) {
  const WarpLift made = lift_of(kernel, problem);
  REQUIRE_MESSAGE(made.lift["verdict"] == "lifted", made.lift.dump());
  const Json result = verified(made);
  CHECK_MESSAGE(result["verdict"] == "ok", (result.dump() + made.lift["ir"].dump()));
  return made.lift["ir"];
}

std::string outcome_of_warps(const Json& kernel, const Json& problem) {
  const WarpLift made = lift_of(kernel, problem);
  return made.lift["verdict"] == "lifted" ? verified(made)["verdict"]
                                          : made.lift["not_lifted"].at(0)["why"];
}

std::string first_reason(const std::string& body) {
  const Json lift = lift_of(warp_kernel(body)).lift;
  REQUIRE_MESSAGE(!lift["not_lifted"].empty(), lift.dump());
  return lift["not_lifted"][0]["why"];
}

}  // namespace ws::test
