#include "runtime/evaluate/measure/workload_cost.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

constexpr std::int64_t kCostRows = 1 << 10;
constexpr std::int64_t kCostColumns = 1 << 14;
constexpr double kCostBytes = double{kCostRows} * double{kCostColumns} * sizeof(float);

/// A matrix of f32 whose rows lie `pitch` apart.
BufferSpec cost_buffer(BufferRole role, std::int64_t pitch) {
  return {.name = "x",
          .type = DType::kF32,
          .role = role,
          .shape = {kCostRows, kCostColumns},
          .strides = {pitch, 1},
          .elements = kCostRows * kCostColumns,
          .span = (kCostRows - 1) * pitch + kCostColumns};
}

}  // namespace

TEST_SUITE("measure.workload_cost") {
  TEST_CASE("the elements of outputs have to be written, gaps and read arguments do not") {
    ResolvedPlan plan;
    plan.buffers = {cost_buffer(BufferRole::kIn, kCostColumns),
                    cost_buffer(BufferRole::kOut, 2 * kCostColumns),
                    cost_buffer(BufferRole::kInout, kCostColumns)};
    BenchmarkRequest request;
    request.l2_bytes = std::uint64_t{50} << 20U;
    Problem problem;
    const auto plain = workload_cost(problem, {}, plan, request);
    REQUIRE_MESSAGE(plain.has_value(), to_text(plain.error()));
    CHECK_FALSE(plain->avoidable);
    CHECK(plain->written_bytes == kCostBytes);
    CHECK(plain->cacheable_bytes == 50 << 20U);
    CHECK_FALSE(plain->bytes.has_value());

    problem.reference_kind = "python";
    problem.reference_source = "\ndef make_module():\n\ndef load_module():\n\ndef call_module():\n";
    const auto imported = workload_cost(problem, {}, plan, request);
    REQUIRE_MESSAGE(imported.has_value(), to_text(imported.error()));
    CHECK(imported->avoidable);
    Ceilings ceilings;
    ceilings.read_gbps = 1000;
    CHECK(below_floor(ceilings, *imported, 1) ==
          "takes 1 us, less than the 14.7 us that writing 14 MiB takes on this device, as "
          "measured");
  }
}

}  // namespace ws
