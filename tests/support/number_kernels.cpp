#include "tests/support/number_kernels.h"

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json problem_of_numbers() {
  return Json::parse(R"({
    "name": "numbers",
    "dims": {"n": [128]},
    "args": [{"name": "a", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "b", "type": "f32", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "k", "type": "i32", "shape": ["n"], "role": "in",
              "fill": {"kind": "range", "low": -100, "high": 100}},
             {"name": "x", "type": "f32", "role": "scalar", "values": [2049.37]},
             {"name": "c", "type": "f32", "shape": ["n"], "role": "out"},
             {"name": "d", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "zeros", "source":
      "__global__ void zeros(float* c, float* d) { c[threadIdx.x] = 0; d[threadIdx.x] = 0; }",
      "launches": [{"entry": "zeros", "grid": ["1"], "block": ["n"], "args": ["c", "d"]}]}})");
}

Json kernel_of_numbers(const std::string& body, const std::string& declarations) {
  return {
      {"name", "numbers"},
      {"language", "cuda"},
      {"source",
       "#include <cassert>\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + declarations +
           "\n__global__ void numbers(const float* a, const float* b, const int* k, float x,\n"
           "                        float* c, float* d, int n) {\n"
           "  const int lane = threadIdx.x, i = blockIdx.x * 32 + lane;\n"
           "  float s = 0;\n  c[i] = 0;\n  d[i] = 0;\n" +
           body + "\n}\n"},
      {"launches", Json::parse(R"json([{"entry": "numbers", "grid": ["n // 32"], "block": ["32"],
                                        "args": ["a", "b", "k", "x", "c", "d", "n"]}])json")}};
}

}  // namespace

std::string outcome_of_numbers(const std::string& body, const std::string& declarations) {
  const std::string id =
      tools().compiled(problem_of_numbers(), kernel_of_numbers(body, declarations));
  const Json lift = tools().result("lift_to_ir", {{"kernel_id", id}, {"detail", "full"}});
  if (lift["verdict"] != "lifted") {
    return lift["not_lifted"].empty() ? lift.dump() : std::string(lift["not_lifted"][0]["why"]);
  }
  const Json checked = tools().result(
      "verify_ir", {{"kernel_id", id}, {"ir", lift["ir"]}, {"schedules", 2}, {"mode", "typed"}});
  return checked["verdict"] == "ok"
             ? "right"
             : std::string(checked["summary"]) + "\n" + std::string(lift["ir"]);
}

}  // namespace ws::test
