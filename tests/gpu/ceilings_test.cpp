// The limits of a real GPU; left out where there is none.
#include "runtime/evaluate/measure/ceilings.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/archive/store/test_folder.h"
#include "tests/support/contract_device.h"

namespace ws::test {

TEST_SUITE("gpu.ceilings") {
  TEST_CASE("every limit of a GPU is measured, in an order that its units are known for") {
    Backend* const gpu = real_gpu();
    if (gpu == nullptr) {
      MESSAGE("left out: what a GPU can do at most (there is none with a toolkit here)");
      return;
    }
    const TestFolder folder;
    const auto archive = Archive::open(folder.path());
    REQUIRE(archive.has_value());
    DeviceCeilings ceilings(**archive);
    const auto start = Clock::now();
    const auto measured = ceilings.get(*gpu, {});
    REQUIRE_MESSAGE(measured.has_value(), to_text(measured.error()));
    const auto spent = std::chrono::duration<double>(Clock::now() - start).count();
    MESSAGE("ceilings in " << spent << " s: " << ceilings_form(*measured).dump());
    CHECK(measured->copy_gbps > 100);
    CHECK(measured->read_gbps > measured->copy_gbps * 0.8);
    const auto& tflops = measured->tflops;
    REQUIRE(tflops.contains("f32"));
    if (measured->complete) {
      CHECK(tflops.at("f16") > 2 * tflops.at("f32"));
      CHECK(tflops.at("f16") == doctest::Approx(tflops.at("bf16")).epsilon(0.1));
      CHECK(tflops.at("f16") > 1.5 * tflops.at("tf32"));
    }
    CHECK(ceilings.stored(*gpu->info())->tflops == tflops);
  }
}

}  // namespace ws::test
