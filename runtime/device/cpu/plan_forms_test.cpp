// Structs by value and scratch that begins as zeros, on the CPU engine.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

LaunchArg number(DType type, double value) {
  LaunchArg arg;
  arg.type = type;
  arg.float_value = value;
  arg.int_value = static_cast<std::int64_t>(value);
  return arg;
}

LaunchArg struct_of(std::vector<LaunchArg> members) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::kStruct;
  arg.text = "{...}";
  arg.members = std::move(members);
  return arg;
}

LaunchArg first_buffer() {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::kBuffer;
  arg.buffer = 0;
  arg.text = "y";
  return arg;
}

}  // namespace

TEST_SUITE("device.cpu.plan_forms") {
  TEST_CASE("structs, vectors and dim3 come by value, to each thread its own") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      EngineRun run;
      run.build = build;
      run.source =
          "struct Params { char c; double d; short s; float f[2]; };\n"
          "__global__ void k(double* y, Params p, float4 v, dim3 size, char2 pair) {\n"
          "  p.s += threadIdx.x;\n  __syncthreads();\n"
          "  y[threadIdx.x] = p.c + p.d + p.s + p.f[1] + v.w * 1000 + size.z * 10000.0 + pair.y;\n"
          "}\n";
      run.entry = "k";
      run.block = {4, 1, 1};
      run.buffers = {buffer_of("y", DType::kF64, 4)};
      run.args = {
          first_buffer(),
          struct_of({number(DType::kI8, -3), number(DType::kF64, 0.125), number(DType::kI16, 20),
                     number(DType::kF32, 0), number(DType::kF32, 0.5)}),
          struct_of({number(DType::kF32, 1), number(DType::kF32, 2), number(DType::kF32, 3),
                     number(DType::kF32, 4)}),
          struct_of({number(DType::kI32, 1), number(DType::kI32, 2), number(DType::kI32, 3)}),
          struct_of({number(DType::kI8, 5), number(DType::kI8, 6)})};
      const EngineResult result = run_engine(run);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      for (int t = 0; t < 4; ++t) {
        CHECK(result.buffer<double>(0)[static_cast<std::size_t>(t)] ==
              -3 + 0.125 + 20 + t + 0.5 + 4000 + 30000 + 6);
      }
    }
  }

  TEST_CASE("scratch that the plan wants zero is zero before the first launch") {
    EngineRun run;
    run.source =
        "__global__ void k(int* y, int* sums) {\n  atomicAdd(&sums[threadIdx.x % 3], 1);\n"
        "  __syncthreads();\n  y[threadIdx.x] = sums[threadIdx.x % 3];\n}\n";
    run.entry = "k";
    run.block = {9, 1, 1};
    run.buffers = {buffer_of("y", DType::kI32, 9), buffer_of("sums", DType::kI32, 3)};
    run.buffers[1].role = BufferRole::kScratch;
    run.buffers[1].zero = true;
    const EngineResult result = run_engine(run, [](EngineResult& made) {
      for (int& v : made.buffer<int>(1)) {
        v = -77;
      }
    });
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (std::size_t i = 0; i < 9; ++i) {
      CHECK(result.buffer<int>(0)[i] == 3);
    }
  }
}

}  // namespace ws::test
