// Tests of the CPU engine's counts, on small kernels whose numbers can be computed by hand.
#include "runtime/profile/counts.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

struct Profiled {
  EngineResult result;
  PlanCounts counts;

  /// Zeros where nothing was counted on the line.
  [[nodiscard]] Counts line(int number) const {
    const auto at = std::find_if(
        counts.lines.begin(), counts.lines.end(),
        [&](const LineCounts& row) { return row.region == "source" && row.line == number; });
    return at == counts.lines.end() ? Counts{} : at->counts;
  }
};

/// One launch of `k(float* x, int m)` over float x[8192] with zeros in it; m is `number`.
Profiled profile(const std::string& source, std::int64_t threads, std::int64_t blocks = 1,
                 std::int64_t number = 1) {
  Profiled profiled;
  profiled.result = run_engine({.source = source,
                                .entry = "k",
                                .build = Build::kProfile,
                                .grid = {blocks, 1, 1},
                                .block = {threads, 1, 1},
                                .buffers = {buffer_of("x", DType::kF32, 8192)},
                                .args = buffers_and_number(1, number)});
  REQUIRE_MESSAGE(profiled.result.outcome.ok(), profiled.result.fault().message);
  profiled.counts = put_together(profiled.result.compiled->image, *profiled.result.counters, {0});
  return profiled;
}

std::string kernel(const std::string& body) {
  return "__global__ void k(float* x, int m) {\n  int t = threadIdx.x;\n" + body + "\n}\n";
}

/// Body: its third line, number 5 of the source, is the one that is looked at.
struct AccessCase {
  const char* name;
  const char* body;
  double requests;
  double units;  ///< Sectors, or passes of shared memory.
  double ideal;
};

}  // namespace

TEST_SUITE("profile.counts") {
  constexpr std::size_t kGlobal = 0;
  constexpr std::size_t kShared = 1;

  TEST_CASE("the sectors of a global request follow from its threads' addresses") {
    constexpr AccessCase kCases[] = {
        {"side by side", "\n\n  x[t] = 1;", 2, 8, 8},
        {"every other", "\n\n  x[2 * t] = 1;", 2, 16, 8},
        {"a row apart", "\n\n  x[32 * t] = 1;", 2, 64, 8},
        {"all the same", "\n\n  x[m] = 1;", 2, 2, 8},
        {"shifted by one", "\n\n  x[t + 1] = 1;", 2, 10, 8},
        {"backwards", "\n\n  x[63 - t] = 1;", 2, 8, 8},
        {"four at once", "\n\n  ((float4*)x)[t] = make_float4(1, 2, 3, 4);", 2, 32, 32},
        {"atomics", "\n\n  atomicAdd(&x[t], 1.0f);", 2, 8, 8},
    };
    for (const AccessCase& c : kCases) {
      CAPTURE(c.name);
      const Counts line = profile(kernel(c.body), 64).line(5);
      CHECK(line.requests[kGlobal] == c.requests);
      CHECK(line.sectors == c.units);
      CHECK(line.ideal_sectors == c.ideal);
      CHECK(line.requests[kShared] == 0);
    }
  }

  TEST_CASE("the cycles of a shared request follow from its threads' banks") {
    const std::string head = "  __shared__ float s[2112];\n  volatile float* v = s;\n";
    constexpr AccessCase kCases[] = {
        {"side by side", "  v[t] = 1;", 1, 1, 1},
        {"every other", "  v[2 * t] = 1;", 1, 2, 1},
        {"a column", "  v[32 * t] = 1;", 1, 32, 1},
        {"a padded column", "  v[33 * t] = 1;", 1, 1, 1},
        {"all the same word", "  v[m] = 1;", 1, 1, 1},
        {"two words of each bank", "  v[t % 16 + t / 16 * 32] = 1;", 1, 2, 1},
        {"doubles side by side", "  ((volatile double*)s)[t] = 1;", 1, 2, 2},
        {"atomics on one word", "  atomicAdd(&s[m], 1.0f);", 1, 32, 1},
    };
    for (const AccessCase& c : kCases) {
      CAPTURE(c.name);
      const Counts line = profile(kernel(head + c.body), 32).line(5);
      CHECK(line.requests[kShared] == c.requests);
      CHECK(line.passes == c.units);
      CHECK(line.ideal_passes == c.ideal);
      CHECK(line.requests[kGlobal] == 0);
    }
  }

  TEST_CASE("threads that parted at a branch meet again after it") {
    const Profiled profiled = profile(kernel("  if (t % 2 == 0) {\n"
                                             "    for (int j = 0; j < m; ++j) x[t + 64 * j] += 2;\n"
                                             "  } else {\n"
                                             "    x[t + 4096] = 5; x[t + 5000] = t;\n"
                                             "  }\n"
                                             "  x[t + 6000] = 7;"),
                                      32, 1, 3);
    CHECK(profiled.line(3).divergent_branches == 1);
    CHECK(profiled.line(3).branches == 1);
    CHECK(profiled.line(4).requests[kGlobal] == 6);  // A load and a store, three times.
    CHECK(profiled.line(6).requests[kGlobal] == 2);
    CHECK(profiled.line(8).requests[kGlobal] == 1);
    CHECK(profiled.line(8).bytes[kGlobal] == 128);
  }

  TEST_CASE("threads that leave a loop early wait for those that stay longest") {
    const Profiled profiled =
        profile(kernel("  for (int j = 0; j <= t; ++j) x[64 * j + t] = 1;\n\n  x[t] = 2;"), 32);
    CHECK(profiled.line(3).requests[kGlobal] == 32);
    CHECK(profiled.line(3).bytes[kGlobal] == 4 * 32 * 33 / 2);
    CHECK(profiled.line(5).requests[kGlobal] == 1);
    CHECK(profiled.line(5).bytes[kGlobal] == 128);
  }

  TEST_CASE("barriers and shuffles end and begin stretches, and are counted by warps") {
    const Profiled profiled = profile(kernel("  __shared__ float s[64];\n"
                                             "  s[t] = t;\n"
                                             "  __syncthreads();\n"
                                             "  float v = s[63 - t];\n"
                                             "  v += __shfl_down_sync(0xffffffffu, v, 1);\n"
                                             "  x[t] = v;"),
                                      64);
    const auto barriers = static_cast<std::size_t>(InstrClass::kBarrier);
    const auto shuffles = static_cast<std::size_t>(InstrClass::kWarp);
    CHECK(profiled.counts.total.instructions[barriers] == 2);
    CHECK(profiled.counts.total.instructions[shuffles] == 2);
    CHECK(profiled.line(4).passes == 2);
    CHECK(profiled.line(6).passes == 2);
    CHECK(profiled.line(8).sectors == 8);
    CHECK(profiled.result.buffer<float>(0)[0] == 63 + 62);
  }

  TEST_CASE("arrays of a thread are local memory only where registers cannot hold them") {
    const std::string fill = "  float a[8];\n  for (int j = 0; j < 8; ++j) a[j] = x[j] * t;\n";
    const auto local = static_cast<std::size_t>(MemorySpace::kLocal);
    CHECK(profile(kernel(fill + "  x[t] = a[3] + a[5];"), 32).counts.total.bytes[local] == 0);
    CHECK(profile(kernel(fill + "  x[t] = a[m];"), 32, 1, 3).counts.total.bytes[local] ==
          32 * 4 * 9);
  }

  TEST_CASE("operations are counted by class, and a product with its sum is one instruction") {
    const Counts total =
        profile(kernel("  x[t] = x[t] * 3.0f + 1.0f;\n  x[t + 32] = t / m;"), 32, 1, 3)
            .counts.total;
    CHECK(total.flops == 2 * 32);
    CHECK(total.instructions[static_cast<std::size_t>(InstrClass::kF32)] == 1);
    CHECK(total.instructions[static_cast<std::size_t>(InstrClass::kSpecial)] == 0);
    CHECK(total.instructions[static_cast<std::size_t>(InstrClass::kInteger)] >= 10);  // t / m
    CHECK(total.instructions[static_cast<std::size_t>(InstrClass::kConvert)] == 1);
    CHECK(total.instructions[static_cast<std::size_t>(InstrClass::kMemory)] == 3);
  }

  TEST_CASE("where the threads' memories differ a request counts as one of global memory") {
    const std::string head = "  __shared__ float s[32];\n  float* p = t == 0 ? s : x + 64 * t;\n";
    for (const char* body : {"  *(volatile float*)p = 1;", "  atomicAdd(p, 1.0f);"}) {
      CAPTURE(body);
      const Counts line = profile(kernel(head + body), 32).line(5);
      CHECK(line.requests[kGlobal] == 1);
      CHECK(line.requests[kShared] == 0);
      CHECK(line.sectors == 32);
      CHECK(line.passes == 0);
    }
  }

  TEST_CASE("constants come word by word, which is no conflict of banks") {
    const auto constant = static_cast<std::size_t>(MemorySpace::kConstant);
    const std::string head = "__constant__ float c[64];\n";
    const Counts one = profile(head + kernel("  x[t] =\n      c[m];"), 32).line(5);
    CHECK(one.requests[constant] == 1);
    CHECK(one.passes == 0);
    const Counts each = profile(head + kernel("  x[t] =\n      c[t];"), 32).line(5);
    CHECK(each.requests[constant] == 1);
    CHECK(each.passes == 31);
    CHECK(each.ideal_passes == 31);
  }

  TEST_CASE("divisions and functions count as what a GPU executes for them") {
    struct Case {
      const char* body;
      InstrClass kind;
      double least;
      double most;
    };

    constexpr Case kCases[] = {
        {"t / m", InstrClass::kInteger, 10, 16},
        {"t % m", InstrClass::kInteger, 10, 16},
        {"t / 7", InstrClass::kInteger, 4, 9},
        {"(long long)t / m", InstrClass::kInteger, 100, 106},
        {"x[t] / m", InstrClass::kSpecial, 1, 1},
        {"(double)x[t] / m", InstrClass::kF64, 30, 32},
        {"sqrtf(x[t])", InstrClass::kSpecial, 1, 1},
        {"atanf(x[t])", InstrClass::kF32, 40, 40},
        {"fmaf(x[t], 3.0f, x[t + 32])", InstrClass::kF32, 1, 1},
        {"floorf(x[t]) + ceilf(x[t]) + rintf(x[t]) + copysignf(x[t], m)", InstrClass::kF32, 7, 7},
        {"fma((double)x[t], 3.0, (double)m) + trunc(x[t] * 0.1)", InstrClass::kF64, 4, 4},
        {"atan((double)x[t])", InstrClass::kF64, 100, 100},
        {"sqrt(x[t] + 1e-9)", InstrClass::kF64, 41, 41},
    };
    for (const Case& c : kCases) {
      CAPTURE(std::string(c.body));
      const Counts total =
          profile(kernel(std::string("  x[t] = ") + c.body + ";"), 32, 1, 3).counts.total;
      const double count = total.instructions[static_cast<std::size_t>(c.kind)];
      CHECK(count >= c.least);
      CHECK(count <= c.most);
    }
  }

  TEST_CASE("a warp that is not full has fewer threads present") {
    const Counts total = profile(kernel("  x[t] = 1;"), 40).counts.total;
    CHECK(total.present_instructions == total.thread_instructions);
    CHECK(total.thread_instructions * 2 == total.warp_instructions * 40);
  }

  TEST_CASE("of a huge grid some blocks are counted, and stand for all") {
    const Profiled profiled =
        profile(kernel("  if (blockIdx.x < 2147483647) x[t] = 1;"), 256, 20'000);
    CHECK(profiled.counts.blocks == 20'000);
    CHECK(profiled.counts.sampled <= 128);
    CHECK(profiled.counts.sampled >= 120);
    CHECK(profiled.line(3).sectors == doctest::Approx(20'000 * 8 * 4));
  }

  TEST_CASE("a thread that waits for another of its warp is let go in the end") {
    const Profiled profiled = profile(kernel("  int* lock = (int*)&x[100];\n"
                                             "  while (atomicCAS(lock, 0, 1) != 0) {}\n"
                                             "  x[0] += 1;\n"
                                             "  atomicExch(lock, 0);"),
                                      8);
    CHECK(profiled.result.buffer<float>(0)[0] == 8);
  }

  TEST_CASE("a profile build checks accesses too") {
    const EngineResult result =
        run_engine({.source = "__global__ void k(float* x) {\n  x[threadIdx.x * 300] = 1;\n}\n",
                    .entry = "k",
                    .build = Build::kProfile,
                    .block = {32, 1, 1},
                    .buffers = {buffer_of("x", DType::kF32, 8192)}});
    CHECK(result.fault().message ==
          "out-of-bounds write of 4 bytes at source:2 by thread (31,0,0) of block (0,0,0): "
          "x[9300], but it has 8192 elements");
  }

  TEST_CASE("a client cannot call what counts") {
    CompileRequest request;
    request.source.language = "cuda";
    request.source.source =
        "extern \"C\" __device__ void ws_rt_profile_access(unsigned long, unsigned);\n"
        "__global__ void k(float* x) {\n  ws_rt_profile_access(0, 4);\n}\n";
    request.source.entries = {"k"};
    for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
      request.build = build;
      const auto reply = cpu_engine().compile(request, {}, false);
      REQUIRE(reply.has_value());
      CHECK(reply->outcome->verdict == CompileVerdict::kUnsupported);
      CHECK(reply->outcome->message ==
            "function `ws_rt_profile_access` is declared but not known on the CPU engine");
    }
  }
}

}  // namespace ws::test
