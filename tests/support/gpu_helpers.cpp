#include "tests/support/gpu_helpers.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/session/skills.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

constexpr int kRows = 256;

Compiled compiled_with_helpers(Backend& backend, const GpuForm& form) {
  return compiled_form(backend, form, kRows, current_skills(tools().services().options).helpers);
}

}  // namespace

void helpers_compile(std::span<const GpuHelper> helpers) {
  const std::unique_ptr<Backend> backend = form_compiler();
  if (backend == nullptr) {
    return;
  }
  for (const GpuHelper& helper : helpers) {
    CAPTURE(std::string(helper.form.name));
    CHECK(compiled_with_helpers(*backend, helper.form).ok());
  }
}

void helpers_compute(std::span<const GpuHelper> helpers) {
  Backend* const gpu = form_gpu("the helper files");
  if (gpu == nullptr) {
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
