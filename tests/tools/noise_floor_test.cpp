// Tests which differences between two kernels `benchmark` takes for noise.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json timed(ToolBench& bench, const std::string& kernel) {
  return bench.result("benchmark",
                      {{"kernel_id", kernel}, {"cache", "hot"}, {"time_budget_ms", 200}});
}

double floor_of_device(ToolBench& bench, const std::string& id) {
  const Json found = bench.result("list_devices", Json::object());
  for (const Json& device : found["devices"]) {
    if (device["id"] == id) {
      return device["noise_floor"];
    }
  }
  return -1;
}

}  // namespace

TEST_SUITE("tools.noise_floor") {
  TEST_CASE("for a GPU it is at least 0.6 us, more than the device's own share of short times") {
    ToolBench bench(1);
    const Json result = timed(bench, bench.compiled(bump_problem(), bump_kernel("add_one")));
    CAPTURE(result.dump());
    const Json& row = result["workloads"][0];
    const double shorter =
        std::min(row["median_us"].get<double>(), row["baseline_median_us"].get<double>());
    CHECK(floor_of_device(bench, "cuda:0") == 0.02);
    REQUIRE(shorter < 0.6 / 0.02);
    CHECK(result["noise_floor"].get<double>() == doctest::Approx(0.6 / shorter).epsilon(0.01));
  }

  TEST_CASE("on the CPU engine it is measured with each comparison, and kept by nobody") {
    // Milliseconds, far longer than what starting a launch costs: else no floor is asked for.
    const std::string work = "  volatile int v = 0;\n  for (int k = 0; k < 20000; ++k) v = k;\n";
    const std::string body = work + "  if (i < n) y[i] = 2 * x[i];";
    const Json result = timed(tools(), tools().compiled(twice_problem(body), twice_kernel(body)));
    CAPTURE(result.dump());
    CHECK(result["noise_floor"].get<double>() > 0);
    const Json devices = tools().result("list_devices", Json::object())["devices"];
    CHECK(devices.back()["id"] == "cpu:0");
    CHECK(devices.back()["noise_floor"].is_null());
  }
}

}  // namespace ws::test
