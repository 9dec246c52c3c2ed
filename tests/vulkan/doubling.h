// A problem for shaders, y = 2 x, and kernels for it.
#pragma once

#include <string>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// The declarations of a shader for the problem.
inline constexpr const char* kHead =
    "StructuredBuffer<float> x;\n"
    "RWStructuredBuffer<float> y;\n"
    "[[vk::push_constant]] cbuffer Sizes { uint n; };\n";

/// y = 2 x of n elements, judged by a program.
inline Json doubling_problem() {
  return Json::parse(R"json({
    "name": "doubling",
    "dims": {"n": {"values": [1000], "min": 1, "max": 4096}},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "twice",
      "source": "__global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }",
      "launches": [{"entry": "twice", "grid": ["cdiv(n, 64)"], "block": ["64"], "args": ["x", "y", "n"]}]}})json");
}

inline Json shader(const std::string& source, const std::string& body_of_launch = "") {
  Json kernel = {{"language", "hlsl"},
                 {"source", source},
                 {"launches", Json::array({{{"entry", "k"},
                                            {"grid", {"cdiv(n, 64)"}},
                                            {"block", {"64"}},
                                            {"args", {"x", "y", "n"}}}})}};
  if (!body_of_launch.empty()) {
    kernel["launches"][0].update(Json::parse(body_of_launch));
  }
  return kernel;
}

inline std::string doubling(const std::string& statement) {
  return kHead +
         std::string("[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID) {\n  ") +
         statement + "\n}\n";
}

inline const char* const kRight = "if (id.x < n) y[id.x] = 2 * x[id.x];";

}  // namespace ws::test
