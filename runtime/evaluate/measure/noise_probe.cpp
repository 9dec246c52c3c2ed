#include "runtime/evaluate/measure/noise_probe.h"

#include <algorithm>

#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

/// Our own kernel that every GPU runs. `r` makes it long enough: a shorter one would show how
/// finely the device's clock ticks.
constexpr const char* kProblem = R"json({
  "name": "noise_probe", "op": "probe", "dims": {"n": [262144], "r": [4096]},
  "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
           {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
  "reference": {"kind": "kernel", "language": "cuda", "entry": "probe",
    "source": "__global__ void probe(const float* x, float* y, int n, int r) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    float v = x[i];\n    for (int k = 0; k < r; ++k) v = v * 0.5f + 1.0f;\n    y[i] = v;\n  }\n}\n",
    "launches": [{"entry": "probe", "grid": ["cdiv(n, 256)"], "block": ["256"],
                  "args": ["x", "y", "n", "r"]}]}})json";

/// The same for a device that takes shaders only.
constexpr const char* kShader = R"json({
  "language": "hlsl",
  "source": "StructuredBuffer<float> x;\nRWStructuredBuffer<float> y;\ncbuffer Sizes { uint n; uint r; };\n[numthreads(256, 1, 1)] void probe(uint3 id : SV_DispatchThreadID) {\n  if (id.x < n) {\n    float v = x[id.x];\n    for (uint k = 0; k < r; ++k) v = v * 0.5f + 1.0f;\n    y[id.x] = v;\n  }\n}\n",
  "launches": [{"entry": "probe", "grid": ["cdiv(n, 256)"], "block": ["256"],
                "args": ["x", "y", "n", "r"]}]})json";

}  // namespace

Result<Problem> noise_problem() {
  return parse_problem(kProblem);
}

Result<Kernel> noise_probe(const DeviceInfo& device, const Problem& problem) {
  const bool shaders =
      !device.languages.empty() && std::ranges::all_of(device.languages, is_shader_language);
  return shaders ? parse_kernel(kShader, problem) : *problem.reference;
}

}  // namespace ws
