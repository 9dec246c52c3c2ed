// Labels and branches within one inline asm statement on the CPU engine.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

constexpr std::uint32_t kThreads = 64;

/// One asm statement. `%0` is the result, `%1` the thread's number, `%2` the address of the inputs,
/// of which each is its own index times three.
struct JumpCase {
  const char* name;
  const char* text;
  std::uint32_t (*want)(std::uint32_t thread);
};

std::uint32_t sum_below(std::uint32_t end) {
  return end * (end - 1) / 2;
}

EngineRun run_of(const std::string& text) {
  EngineRun run;
  run.source =
      "__global__ void k(const unsigned* in, unsigned* out) {\n"
      "  unsigned r = 0, t = threadIdx.x;\n"
      "  asm volatile(\"" +
      text + "\" : \"+r\"(r) : \"r\"(t), \"l\"(in) : \"memory\");\n  out[t] = r;\n}\n";
  run.entry = "k";
  run.block = {kThreads, 1, 1};
  run.buffers = {buffer_of("in", DType::kI32, kThreads), buffer_of("out", DType::kI32, kThreads)};
  return run;
}

void check_jumps(const JumpCase& c, Build build, bool phases) {
  CAPTURE(std::string(c.name));
  EngineRun run = run_of(c.text);
  run.build = build;
  run.phases = phases;
  const EngineResult result = run_engine(run, [](EngineResult& made) {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      made.buffer<std::uint32_t>(0)[i] = 3 * i;
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    CAPTURE(i);
    CHECK(result.buffer<std::uint32_t>(1)[i] == c.want(i));
  }
}

const std::vector<JumpCase> kJumpCases = {
    {"over a statement",
     "{ .reg .pred p; setp.lt.u32 p, %1, 10; @p bra done; mov.u32 %0, 5; done: }",
     [](std::uint32_t i) { return i < 10 ? 0U : 5U; }},
    {"one of two ways",
     "{ .reg .pred p; setp.lt.u32 p, %1, 10;\\n@!p bra.uni else;\\n mov.u32 %0, 7; bra.uni "
     "end;\\nelse: add.u32 %0, %1, 1;\\nend: add.u32 %0, %0, 100; }",
     [](std::uint32_t i) { return i < 10 ? 107U : i + 101; }},
    {"a loop of another length in each thread",
     "{ .reg .pred p; .reg .b32 i; mov.u32 i, 0; again: setp.ge.u32 p, i, %1; @p bra out; add.u32 "
     "%0, %0, i; add.u32 i, i, 1; bra again; out: }",
     sum_below},
    {"loops in a loop, with names of their own",
     "{ .reg .pred p; .reg .b32 i; mov.u32 i, 3; loop: { .reg .b32 j; mov.u32 j, 4; loop: add.u32 "
     "%0, %0, 1; sub.u32 j, j, 1; setp.ne.u32 p, j, 0; @p bra loop; } sub.u32 i, i, 1; setp.ne.u32 "
     "p, i, 0; @p bra loop; }",
     [](std::uint32_t) { return 12U; }},
    {"out of a block that is in a block",
     "{ .reg .pred p; { { setp.gt.u32 p, %1, 20; @p bra far; } mov.u32 %0, 1; } far: add.u32 %0, "
     "%0, 2; }",
     [](std::uint32_t i) { return i > 20 ? 2U : 3U; }},
    {"into the middle of a loop",
     "{ .reg .pred p; .reg .b32 i; mov.u32 i, 4; setp.lt.u32 p, %1, 32; @p bra middle; again: "
     "add.u32 %0, %0, 10; middle: add.u32 %0, %0, 1; sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra "
     "again; }",
     [](std::uint32_t i) { return i < 32 ? 34U : 44U; }},
    {"a label with a number of its own, and statements that nothing leads to",
     "bra end_%=; mov.u32 %0, 9; end_%=: add.u32 %0, %0, %1;", [](std::uint32_t i) { return i; }},
    {"labels as nvcc names them, and some with a number of their own inside",
     "{ .reg .pred p; setp.lt.u32 p, %1, 10; @p bra $L__BB0_2; bra.uni L%=; $L__BB0_2: add.u32 %0, "
     "%0, 4; bra b$%=_x; L%=: add.u32 %0, %0, 1; b$%=_x: add.u32 %0, %0, 100; }",
     [](std::uint32_t i) { return i < 10 ? 104U : 101U; }},
    {"to the next statement",
     "{ .reg .pred p; setp.lt.u32 p, %1, 9; @p bra next; next: @p add.u32 %0, %1, 4; }",
     [](std::uint32_t i) { return i < 9 ? i + 4 : 0; }},
    {"backward only, to a label at the start",
     "{ .reg .pred p; start: add.u32 %0, %0, 3; setp.lt.u32 p, %0, %1; @p bra start; }",
     [](std::uint32_t i) { return i == 0 ? 3U : (i + 2) / 3 * 3; }},
    {"an address that moves on",
     "{ .reg .pred p; .reg .b32 v, i; .reg .b64 a; mov.u64 a, %2; mov.u32 i, 0; again: setp.ge.u32 "
     "p, i, %1; @p bra out; ld.global.u32 v, [a]; add.u32 %0, %0, v; add.u64 a, a, 4; add.u32 i, "
     "i, "
     "1; bra again; out: }",
     [](std::uint32_t i) { return 3 * sum_below(i); }},
    {"a shuffle and a barrier in each round",
     "{ .reg .pred p; .reg .b32 v, o; mov.u32 %0, %1; mov.u32 o, 16; again: shfl.sync.bfly.b32 v, "
     "%0, o, 31, -1; add.u32 %0, %0, v; bar.sync 0; shr.u32 o, o, 1; setp.ne.u32 p, o, 0; @p bra "
     "again; }",
     [](std::uint32_t i) { return i < 32 ? 496U : 1520U; }},
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("jumps lead where PTX says, in every build") {
    for (const JumpCase& c : kJumpCases) {
      check_jumps(c, Build::kFast, true);
      check_jumps(c, Build::kBounds, true);
      check_jumps(c, Build::kBounds, false);
      check_jumps(c, Build::kProfile, true);
    }
  }

  TEST_CASE("an access in a loop of PTX is checked") {
    const EngineResult result = run_engine(
        run_of("{ .reg .b32 v; .reg .b64 a; mov.u64 a, %2; again: ld.global.u32 v, [a]; add.u64 a, "
               "a, 4; bra again; }"));
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().message ==
          "out-of-bounds read of 4 bytes at source:3 by thread (0,0,0) of block (0,0,0): in[64], "
          "but it has 64 elements");
  }

  TEST_CASE("a loop of PTX that does nothing runs for ever") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      EngineRun run = run_of(
          "{ .reg .pred p; setp.ne.u32 p, %1, 3; @p bra out; again: bra again; "
          "out: }");
      run.build = build;
      run.limit = std::chrono::milliseconds(300);
      const EngineResult result = run_engine(run);
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().kind == "timeout");
    }
  }
}

}  // namespace ws::test
