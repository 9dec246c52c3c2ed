#include "runtime/bench/roofline.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// As of a large GPU.
const Ceilings kDevice = {
    .copy_gbps = 2500,
    .read_gbps = 3000,
    .tflops = {{"f32", 50}, {"tf32", 400}, {"f16", 800}, {"f8", 1600}},
    .complete = true,
};

struct PercentRow {
  const char* name;
  WorkloadCost cost;
  double us;
  double percent;  ///< 0: nothing is known.
  const char* bound;
};

const std::vector<PercentRow>& percents() {
  static const std::vector<PercentRow> rows = {
      {"a copy at half the speed", {{}, 250e6, 0, {DType::kF32}, false}, 200, 50, "copy"},
      {"f32 below what multiply-adds reach", {25e9, {}, 0, {DType::kF32}, false}, 1000, 50, "f32"},
      {"f32 faster than that: on tensor cores",
       {100e9, {}, 0, {DType::kF32}, false},
       1000,
       25,
       "tf32"},
      {"f16 with f32 sums", {400e9, {}, 0, {DType::kF32, DType::kF16}, false}, 1000, 50, "f16"},
      {"the closer limit counts", {25e9, 625e6, 0, {DType::kF32}, false}, 1000, 50, "f32"},
      {"memory is closer", {5e9, 1250e6, 0, {DType::kF32}, false}, 1000, 50, "copy"},
      {"no ceiling for integers", {25e9, {}, 0, {DType::kI32}, false}, 1000, 0, ""},
      {"bf16 was not measured", {25e9, {}, 0, {DType::kBf16}, false}, 1000, 0, ""},
      {"no costs", {{}, {}, 0, {DType::kF32}, false}, 1000, 0, ""},
  };
  return rows;
}

struct FloorRow {
  const char* name;
  WorkloadCost cost;
  double us;
  const char* reason;
};

const std::vector<FloorRow>& floors() {
  static const std::vector<FloorRow> rows = {
      {"faster than memory",
       {{}, 300e6, 0, {DType::kF32}, false},
       90,
       "takes 90 us, less than the 100 us that moving 286 MiB takes on this device, as measured"},
      {"within the slack", {{}, 300e6, 0, {DType::kF32}, false}, 96, ""},
      {"what is written may stay in the cache", {{}, 300e6, 60e6, {DType::kF32}, false}, 90, ""},
      {"all of it may", {{}, 50e6, 60e6, {DType::kF32}, false}, 1, ""},
      {"hot launches read from the cache", {{}, 300e6, 0, {DType::kF32}, true}, 10, ""},
      {"faster than every unit, whatever the types",
       {160e9, {}, 0, {DType::kF32}, true},
       90,
       "takes 90 us, less than the 100 us that 1.6e+11 operations take on this device, as "
       "measured"},
      {"the fastest unit could do it", {160e9, {}, 0, {DType::kF32}, false}, 101, ""},
  };
  return rows;
}

}  // namespace

TEST_SUITE("bench.roofline") {
  TEST_CASE("a time is compared with the closer limit of the units that its types allow") {
    for (const PercentRow& row : percents()) {
      CAPTURE(row.name);
      const auto found = roofline(kDevice, row.cost, row.us);
      REQUIRE(found.has_value() == (row.percent > 0));
      if (found) {
        CHECK(found->percent == doctest::Approx(row.percent));
        CHECK(found->bound == row.bound);
      }
    }
    CHECK_FALSE(roofline({}, percents().front().cost, 100).has_value());
  }

  TEST_CASE("a time that the device cannot reach is reported with what it would take") {
    for (const FloorRow& row : floors()) {
      CAPTURE(row.name);
      CHECK(below_floor(kDevice, row.cost, row.us) == row.reason);
    }
  }

  TEST_CASE("of work that a kernel may leave out, writing the outputs has a floor") {
    WorkloadCost cost;
    cost.flops = 160e9;
    cost.bytes = 600e6;
    cost.cacheable_bytes = 50e6;
    cost.written_bytes = 350e6;
    CHECK(below_floor(kDevice, cost, 90) ==
          "takes 90 us, less than the 183 us that moving 525 MiB takes on this device, as "
          "measured");
    cost.avoidable = true;
    CHECK(below_floor(kDevice, cost, 90) ==
          "takes 90 us, less than the 100 us that writing 286 MiB takes on this device, as "
          "measured");
    CHECK(below_floor(kDevice, cost, 96).empty());
    cost.written_bytes = 50e6;
    CHECK(below_floor(kDevice, cost, 1).empty());
    cost.written_bytes = 350e6;
    cost.hot = true;
    CHECK(below_floor(kDevice, cost, 1).empty());
  }

  TEST_CASE("where faster units were not measured, arithmetic has no floor") {
    Ceilings partly = kDevice;
    partly.complete = false;
    CHECK(below_floor(partly, {160e9, {}, 0, {}, false}, 1).empty());
    CHECK_FALSE(below_floor(partly, {{}, 300e6, 0, {}, false}, 1).empty());
    CHECK(below_floor({}, {160e9, 300e6, 0, {}, false}, 1).empty());
  }
}

}  // namespace ws
