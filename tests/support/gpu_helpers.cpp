#include "tests/support/gpu_helpers.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/offline_backend.h"
#include "tests/support/contract_device.h"
#include "tests/support/tool_bench.h"
#include "tools/common/skills.h"

namespace ws::test {
namespace {

constexpr int kRows = 256;

Compiled compiled_with_helpers(Backend& backend, const GpuForm& form) {
  return compiled_form(backend, form, kRows, current_skills(tools().services().options).helpers);
}

}  // namespace

void helpers_compile(std::span<const GpuHelper> helpers) {
  const Result<Toolkit> toolkit = find_toolkit({});
  if (!toolkit) {
    MESSAGE("left out: no CUDA tool kit is here");
    return;
  }
  const auto backend = make_offline_cuda_backend(
      "sm_90a", std::make_shared<CompileService>(
                    nvrtc_service(std::string(WS_BINARY_DIR) + "/warpsmith", *toolkit)));
  for (const GpuHelper& helper : helpers) {
    CAPTURE(std::string(helper.form.name));
    CHECK(compiled_with_helpers(*backend, helper.form).ok());
  }
}

void helpers_compute(std::span<const GpuHelper> helpers) {
  Backend* const gpu = real_gpu();
  if (gpu == nullptr || gpu->info()->features.size() < 2) {
    MESSAGE("left out: the helper files on a GPU (none of sm_90 or newer is here)");
    return;
  }
  for (const GpuHelper& helper : helpers) {
    CAPTURE(std::string(helper.form.name));
    auto prepared = prepare(*gpu, compiled_with_helpers(*gpu, helper.form), RunAs::kCandidate);
    REQUIRE_MESSAGE(prepared.has_value(), to_text(prepared.error()));
    const std::span<int> in = ints(*prepared, 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<int>((i * 7 + i / 32 * 3) % 13) - 6;  // Sums of products stay exact.
    }
    const std::span<int> out = ints(*prepared, 1);
    std::ranges::fill(out, 12345);
    const auto outcome = prepared->session->run(3, std::chrono::milliseconds(20'000), {});
    REQUIRE_MESSAGE(outcome.has_value(), to_text(outcome.error()));
    CHECK(outcome->ok());
    int wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      wrong += static_cast<int>(out[i] != helper.expected(in, static_cast<int>(i)));
    }
    CHECK(wrong == 0);
  }
}

}  // namespace ws::test
