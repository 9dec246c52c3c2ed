// Accesses whose address a GPU refuses: found in checked builds, with place and buffer.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// `arguments`: floats x and y of 64 elements, and an int `one` that is 1.
EngineResult run_body(const std::string& body, Build build = Build::kBounds) {
  EngineRun run = {.source =
                       "#include <cuda_fp16.h>\nstruct Pair { float a, b; };\n"
                       "struct alignas(16) Wide { float v[8]; };\n"
                       "__global__ void k(float* x, float* y, const int* ones) {\n"
                       "  int one = ones[threadIdx.x];\n" +
                       body + "\n}",
                   .entry = "k",
                   .build = build,
                   .block = {2, 1, 1},
                   .buffers = {buffer_of("x", DType::kF32, 64), buffer_of("y", DType::kF32, 64),
                               buffer_of("ones", DType::kI32, 2)}};
  return run_engine(run, [](EngineResult& result) {
    result.buffer<int>(2)[0] = 1;
    result.buffer<int>(2)[1] = 1;
  });
}

struct Misaligned {
  const char* body;
  const char* message;
  std::optional<std::int64_t> index;
};

const Misaligned kMisaligned[] = {
    {"  float4 v = *(const float4*)(x + one);\n  y[0] = v.x + v.y + v.z + v.w;",
     "misaligned read of 16 bytes at source:6 by thread (0,0,0) of block (0,0,0): x[1] is not at a "
     "multiple of 16 bytes",
     1},
    {"  if (threadIdx.x == 1) *(float2*)(y + 4 + one) = make_float2(1, 2);",
     "misaligned write of 8 bytes at source:6 by thread (1,0,0) of block (0,0,0): y[5] is not at a "
     "multiple of 8 bytes",
     5},
    {"  *(float4*)(y + 2 * one) = *(const float4*)x;",
     "misaligned write of 16 bytes at source:6 by thread (0,0,0) of block (0,0,0): y[2] is not at "
     "a "
     "multiple of 16 bytes",
     2},
    {"  y[0] = *(const float*)((const char*)x + one);",
     "misaligned read of 4 bytes at source:6 by thread (0,0,0) of block (0,0,0): x[0] is not at a "
     "multiple of 4 bytes",
     0},
    {"  *(volatile long long*)((char*)y + 4 * one) = 3;",
     "misaligned write of 8 bytes at source:6 by thread (0,0,0) of block (0,0,0): y[1] is not at a "
     "multiple of 8 bytes",
     1},
    {"  atomicAdd((unsigned long long*)(y + one), 1ull);",
     "misaligned write of 8 bytes at source:6 by thread (0,0,0) of block (0,0,0): y[1] is not at a "
     "multiple of 8 bytes",
     1},
    {"  __shared__ float s[64];\n  s[threadIdx.x] = 0;\n  float4 v = *(float4*)(s + 2 * one);\n"
     "  y[0] = v.x + v.y + v.z + v.w;",
     "misaligned read of 16 bytes at source:8 by thread (0,0,0) of block (0,0,0): byte 8 of s is "
     "not "
     "at a multiple of 16 bytes",
     std::nullopt},
    {"  float* p = one == 1 ? x : y;\n  __half2 h = *(const __half2*)((const __half*)p + one);\n"
     "  y[0] = __low2float(h) + __high2float(h);",
     "misaligned read of 4 bytes at source:7 by thread (0,0,0) of block (0,0,0): x[0] is not at a "
     "multiple of 4 bytes",
     0},
};

constexpr const char* kFine[] = {
    "  float4 v = ((const float4*)x)[one];\n  ((float4*)y)[one + 1] = v;",
    "  float4 v = *(const float4*)(x + 4 * one);\n  *(float4*)(y + 8 * one) = v;",
    "  Pair p = *(const Pair*)(x + one);\n  *(Pair*)(y + 3 * one) = p;",
    "  Wide w = *(const Wide*)(x + 4 * one);\n  *(Wide*)(y + 12 * one) = w;",
    "  y[0] = ((const float4*)(x + one))->y;",
    "  for (float* p = x + one; p < x + 60; p += 3) *p = 1;",
    "  float3 v = *(const float3*)(x + one);\n  y[0] = v.x + v.y + v.z;",
    "  memcpy((char*)y + one, (const char*)x + 2 * one, 8);",
    "  __half2 h = *(const __half2*)((const __half*)x + 2 * one);\n  y[0] = __low2float(h);",
};

}  // namespace

TEST_SUITE("device.cpu.alignment") {
  TEST_CASE("an access at an address that a GPU refuses is a fault with its place") {
    for (const Misaligned& c : kMisaligned) {
      CAPTURE(std::string(c.body));
      const EngineResult result = run_body(c.body);
      REQUIRE_FALSE(result.outcome.ok());
      const Fault fault = result.fault();
      CHECK(fault.message == c.message);
      CHECK(fault.verdict == Verdict::kRuntimeError);
      CHECK(fault.kind == "misaligned_address");
      CHECK(fault.index == c.index);
    }
  }

  TEST_CASE("what a GPU does in parts, or finds in its place, is no fault") {
    for (const char* body : kFine) {
      CAPTURE(std::string(body));
      const EngineResult result = run_body(body);
      CHECK_MESSAGE(result.outcome.ok(), result.fault().message);
    }
  }

  TEST_CASE("an alignment that no memory has is an error that names it") {
    struct Wide {
      const char* source;
      const char* message;
    };

    constexpr Wide kWide[] = {
        {"__device__ __attribute__((aligned(268435456))) int v[3];\n"
         "__global__ void k(int* x) {\n  v[x[0] & 1] = x[1];\n  x[0] = v[1];\n}",
         "an alignment of 268435456 bytes is not supported on the CPU engine; the largest is "
         "65536"},
        {"__global__ void k(int* x) {\n  __shared__ __attribute__((aligned(131072))) int s[64];\n"
         "  s[threadIdx.x] = x[0];\n  __syncthreads();\n  x[threadIdx.x] = s[1];\n}",
         "an alignment of 131072 bytes is not supported on the CPU engine; the largest is 65536"},
        {"__device__ __noinline__ __attribute__((aligned(268435456))) int f(int n) {\n"
         "  return n < 2 ? 1 : f(n - 1) + f(n - 2);\n}\n"
         "__global__ void k(int* x) {\n  x[0] = f(x[1]);\n}",
         "an alignment of 268435456 bytes is not supported on the CPU engine; the largest is "
         "65536"},
        {"__global__ void k(int* x) {\n  __attribute__((aligned(268435456))) int v[4];\n"
         "  for (int i = 0; i < 4; ++i) v[i] = x[i];\n  x[0] = v[x[5] & 3];\n}",
         "an alignment of 268435456 bytes is not supported on the CPU engine; the largest is "
         "65536"},
    };
    for (const Wide& c : kWide) {
      CAPTURE(std::string(c.source));
      const CompileOutcome outcome = compiled_source(c.source);
      CHECK(outcome.verdict == CompileVerdict::kUnsupported);
      CHECK(outcome.message == std::string(c.message));
    }
  }
}

}  // namespace ws::test
