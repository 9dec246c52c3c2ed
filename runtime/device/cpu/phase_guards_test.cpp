// The guard before a phase of a checked build lets no access outside of its buffer through.
#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// One block of k(int* x, const int* y, int n) with n = 1000, in a checked build. Both buffers have
/// 4096 elements.
EngineRun guarded(const std::string& body) {
  EngineRun run;
  run.source = "extern \"C\" __global__ void k(int* x, const int* y, int n) {\n" + body + "\n}";
  run.entry = "k";
  run.build = Build::kBounds;
  run.block = {64, 1, 1};
  run.buffers = {buffer_of("x", DType::kI32, 4096), buffer_of("y", DType::kI32, 4096)};
  run.args = buffers_and_number(2, 1000);
  run.mode.order = RunOrder::kAscending;
  return run;
}

EngineResult run_guarded(const std::string& body) {
  return run_engine(guarded(body));
}

/// The kernel's threads read what others write: the result tells whether they ran as vectors.
std::vector<int> result_of(const EngineRun& run) {
  const EngineResult result = run_engine(run, [](EngineResult& before) {
    for (int i = 0; i < 4096; ++i) {
      before.buffer<int>(0)[static_cast<std::size_t>(i)] = i % 7;
      before.buffer<int>(1)[static_cast<std::size_t>(i)] = i % 5;
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto x = result.buffer<int>(0);
  return {x.begin(), x.end()};
}

/// Checks that no guard of the kernel sends its threads on one by one.
void check_as_vectors(const std::string& body) {
  CAPTURE(body);
  EngineRun run = guarded(body);
  const std::vector<int> checked = result_of(run);
  run.build = Build::kFast;
  const std::vector<int> fast = result_of(run);
  run.build = Build::kBounds;
  run.phases = false;
  if (result_of(run) == fast) {
    MESSAGE("this machine makes no vectors of the kernel: nothing to see");
  }
  CHECK(checked == fast);
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

  TEST_CASE("a guard knows sizes that a branch compares, and rows of a matrix") {
    const char* const chain = "x[64 + threadIdx.x] = x[63 + threadIdx.x] + ";
    check_as_vectors(std::string("__syncthreads();\n") + chain + "y[threadIdx.x * 2 + n];");
    check_as_vectors(std::string("__syncthreads(); if (n > 3) {\n") + chain +
                     "y[(threadIdx.x / 32) * n + 5]; } else x[n] = 1;");
    check_as_vectors(std::string("__syncthreads(); for (int i = 0; i < n; i += 500) {\n") + chain +
                     "y[(long long)(i / 500 + threadIdx.x / 32) * n]; __syncthreads(); }\n"
                     "x[n + threadIdx.x] = 5;");
  }

  TEST_CASE("a guard knows how far loops in steps go") {
    const std::string chain = "x[64 + threadIdx.x] = x[63 + threadIdx.x] + ";
    check_as_vectors(
        "for (int j = 0; j < 32; j += 8) x[(n - 968 + j) * 64 + threadIdx.x] = 3;\n"
        "__syncthreads();\n" +
        chain + "y[threadIdx.x];");
    check_as_vectors(
        "int sum = 0;\nfor (int j = threadIdx.x; j < n; j += 32) sum += y[j];\n"
        "__syncthreads();\n" +
        chain + "sum;");
  }

  TEST_CASE("a loop that goes one step too far is found") {
    const EngineResult result = run_guarded(
        "__syncthreads();\n"
        "for (int j = 0; j < n + 25; j += 8) x[j * 4 + (int)threadIdx.x % 8] = 3;");
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().message ==
          "out-of-bounds write of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): "
          "x[4096], but it has 4096 elements");
  }

  TEST_CASE("what only one way of a branch does wrong is found") {
    const EngineResult never = run_guarded(
        "__syncthreads(); if (n < 3) x[-1 - (int)threadIdx.x] = 1; else x[threadIdx.x] = 2;");
    CHECK_MESSAGE(never.outcome.ok(), never.fault().message);
    const EngineResult wrong = run_guarded(
        "__syncthreads(); if (n > 3) x[(long long)(unsigned)n * (threadIdx.x / 32 + 4)] = 1;");
    REQUIRE_FALSE(wrong.outcome.ok());
    CHECK(wrong.fault().message ==
          "out-of-bounds write of 4 bytes at source:2 by thread (32,0,0) of block (0,0,0): "
          "x[5000], but it has 4096 elements");
  }
}

}  // namespace ws::test
