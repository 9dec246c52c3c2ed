// The guard before a phase of a checked build lets no access outside of its buffer through.
#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// One block of k(int* x, const int* y, int n) with n = 1000, in a checked build. Both buffers have
/// 4096 elements.
EngineResult run_guarded(const std::string& body) {
  EngineRun run;
  run.source = "extern \"C\" __global__ void k(int* x, const int* y, int n) {\n" + body + "\n}";
  run.entry = "k";
  run.build = Build::kBounds;
  run.block = {64, 1, 1};
  run.buffers = {buffer_of("x", DType::kI32, 4096), buffer_of("y", DType::kI32, 4096)};
  run.args = buffers_and_number(2, 1000);
  run.mode.order = RunOrder::kAscending;
  return run_engine(run);
}

}  // namespace

TEST_SUITE("device.cpu.phases") {
  // The factor m has left its 32 bits on the way, so the guard cannot say what it is, though it is
  // the same for all threads: it is 1100, and thread 4 reads y[4400].
  TEST_CASE("a factor that is the same for all threads is not taken for a number that is known") {
    const EngineResult result = run_guarded(
        "unsigned m = 1100u - (unsigned)n * (1u << 26) * blockDim.x;\n"
        "long long p = (long long)(int)threadIdx.x * (int)m;\n"
        "__syncthreads();\n"
        "if (p >= 0) x[threadIdx.x] = y[p];");
    REQUIRE(result.compiled->image.entries[0].phases.rows_offset != 0);
    REQUIRE_FALSE(result.outcome.ok());
    const Fault fault = result.fault();
    CHECK(fault.kind == "read_out_of_bounds");
    CHECK(fault.message.find("y[4400]") != std::string::npos);
  }

  TEST_CASE("the same product inside of its buffer is let through") {
    const EngineResult result = run_guarded(
        "unsigned m = 65u - (unsigned)n * (1u << 26) * blockDim.x;\n"
        "long long p = (long long)(int)threadIdx.x * (int)m;\n"
        "__syncthreads();\n"
        "if (p >= 0) x[threadIdx.x] = y[p];");
    CHECK_MESSAGE(result.outcome.ok(), result.fault().message);
  }
}

}  // namespace ws::test
