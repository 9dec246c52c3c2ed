#include "tests/support/gpu_form.h"

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/offline_backend.h"
#include "runtime/kernel/form/forms.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

constexpr const char* kProblem = R"json({
    "name": "add_one", "dims": {"rows": [64]},
    "args": [{"name": "A", "type": "i32", "shape": ["rows", 32], "role": "in", "fill": "zeros"},
             {"name": "B", "type": "i32", "shape": ["rows", 32], "role": "out"}],
    "reference": {"kind": "first_kernel"}})json";

}  // namespace

Compiled compiled_form(Backend& backend, const GpuForm& form, int rows,
                       const nlohmann::json& headers) {
  const auto problem = parse_problem(kProblem);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  nlohmann::json fields = nlohmann::json::parse(form.plan);
  fields["source"] = form.source;
  fields["headers"] = headers;
  const auto kernel = kernel_from_json(fields, *problem);
  REQUIRE_MESSAGE(kernel.has_value(), to_text(kernel.error()));
  const auto compiled = compile_for(backend, *problem, *kernel, {{{"rows", rows}}, {}}, {},
                                    {.build = Build::kFast}, {});
  REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
  CHECK_MESSAGE(compiled->ok(), compiled->message);
  return *compiled;
}

std::unique_ptr<Backend> form_compiler() {
  const Result<Toolkit> toolkit = find_toolkit({});
  if (!toolkit) {
    MESSAGE("left out: no CUDA toolkit is here");
    return nullptr;
  }
  return make_offline_cuda_backend(
      "sm_90a", std::make_shared<CompileService>(
                    nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit)));
}

Backend* form_gpu(const char* what) {
  Backend* const gpu = real_gpu();
  if (gpu != nullptr && std::ranges::count(gpu->info()->features, "cluster") > 0) {
    return gpu;
  }
  MESSAGE("left out: " << std::string(what) << " on a GPU (none of sm_90 or newer is here)");
  return nullptr;
}

std::span<int> ints(const Prepared& prepared, std::size_t buffer) {
  const std::span<std::byte> bytes = prepared.arena->buffer(buffer);
  return {reinterpret_cast<int*>(bytes.data()), bytes.size() / sizeof(int)};
}

}  // namespace ws::test
