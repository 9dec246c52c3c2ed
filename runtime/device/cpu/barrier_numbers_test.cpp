// Barriers of a block by numbers and counts that a kernel computes: those that no block has are
// findings, and a GPU's count of whole warps is kept.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

/// The kernel gets numbers and counts in `in`, so that the compiler does not know them.
EngineResult run_with(const std::string& body, int number, int count, std::int64_t threads) {
  EngineRun run;
  run.source =
      "#define meet(id, n) asm volatile(\"bar.sync %0, %1;\" :: \"r\"(id), \"r\"(n) : "
      "\"memory\")\n#define arrive(id, n) asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(id), "
      "\"r\"(n) : \"memory\")\n#line 1\n"
      "__global__ void k(const int* in, int* out) {\n  int t = threadIdx.x;\n" +
      body + "\n}\n";
  run.entry = "k";
  run.block = {threads, 1, 1};
  run.buffers = {buffer_of("in", DType::kI32, 2), buffer_of("out", DType::kI32, threads)};
  run.limit = std::chrono::seconds(20);
  return run_engine(run, [&](EngineResult& made) {
    made.buffer<int>(0)[0] = number;
    made.buffer<int>(0)[1] = count;
  });
}

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("numbers and counts that no barrier of a block has are findings") {
    struct Wrong {
      const char* body;
      int number;
      int count;
      const char* message;
    };

    constexpr Wrong kWrong[] = {
        {"  meet(in[0], 64);", 16, 0,
         "barrier 16 at source:3 by thread (0,0,0) of block (0,0,0): a block has barriers 0 to 15"},
        {"  meet(in[0], 64);", 17, 0,
         "barrier 17 at source:3 by thread (0,0,0) of block (0,0,0): a block has barriers 0 to 15"},
        {"  if (t == 5)\n    arrive(in[0], 64);", -1, 0,
         "barrier 4294967295 at source:4 by thread (5,0,0) of block (0,0,0): a block has barriers "
         "0 to 15"},
        {"  meet(1, in[1]);", 0, 48,
         "a barrier of 48 threads at source:3 by thread (0,0,0) of block (0,0,0): the number must "
         "be a multiple of 32, and more than 0 for an arrival"},
        {"  arrive(1, in[1]);", 0, 0,
         "a barrier of 0 threads at source:3 by thread (0,0,0) of block (0,0,0): the number must "
         "be a multiple of 32, and more than 0 for an arrival"},
        {"  arrive(1, in[1]);\n  out[t] = 1;", 0, 96,
         "a barrier of 96 threads at source:3 by thread (0,0,0) of block (0,0,0), but the block "
         "has 64"},
        {"  asm volatile(\"bar.sync %0;\" :: \"r\"(in[0]));", 23, 0,
         "barrier 23 at source:3 by thread (0,0,0) of block (0,0,0): a block has barriers 0 to 15"},
    };
    for (const Wrong& c : kWrong) {
      CAPTURE(std::string(c.body));
      const EngineResult result = run_with(c.body, c.number, c.count, 64);
      REQUIRE_FALSE(result.outcome.ok());
      const Fault fault = result.fault();
      CHECK(fault.message == std::string(c.message));
      CHECK(fault.kind == "invalid_barrier");
      CHECK(fault.verdict == Verdict::kRuntimeError);
    }
  }

  TEST_CASE("lanes that have ended or do not exist count with their warp") {
    struct Right {
      const char* name;
      const char* body;
      int count;
      std::int64_t threads;
      int last;
    };

    constexpr Right kRight[] = {
        {"a block that does not fill its last warp",
         "  __shared__ int s[100];\n  s[t] = t;\n  meet(in[0], in[1]);\n  out[t] = s[99 - t];", 128,
         100, 0},
        {"a lane that has ended before the others arrive",
         "  __shared__ int s[64];\n  s[t] = t;\n  if (t == 5) return;\n  meet(in[0], in[1]);\n"
         "  out[t] = s[63 - t];",
         64, 64, 0},
        {"a lane that ends after the others have arrived",
         "  __shared__ int s[64];\n  s[t] = t;\n  if (t == 63) { out[t] = 7; return; }\n"
         "  meet(in[0], in[1]);\n  out[t] = s[63 - t];",
         64, 64, 7},
        {"warps that give and end",
         "  __shared__ int s[64];\n  if (t < 32) { s[t] = t; arrive(in[0], in[1]); return; }\n"
         "  meet(in[0], in[1]);\n  out[t] = s[63 - t];",
         64, 64, 0},
        {"no count", "  meet(in[0], in[1]);\n  out[t] = 3;", 0, 100, 3},
    };
    for (const Right& c : kRight) {
      CAPTURE(std::string(c.name));
      const EngineResult result = run_with(c.body, 15, c.count, c.threads);
      REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
      CHECK(result.buffer<int>(1)[static_cast<std::size_t>(c.threads - 1)] == c.last);
    }
  }

  TEST_CASE("votes by turns at one barrier do not mix") {
    const EngineResult result = run_with(
        "  int n = 0, p = t % 32 < 3 + t / 32;\n"
        "  asm volatile(\"{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.cta.red.popc.u32 %0, %2, "
        "32, p; }\" : \"+r\"(n) : \"r\"(p), \"r\"(in[0]) : \"memory\");\n  out[t] = n;",
        2, 0, 128);
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    for (int t = 0; t < 128; ++t) {
      CHECK(result.buffer<int>(1)[static_cast<std::size_t>(t)] == 3 + t / 32);
    }
  }
}

}  // namespace ws::test
