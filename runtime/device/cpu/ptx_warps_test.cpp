// Inline PTX on the CPU engine: what threads do together, and checks of accesses.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {

namespace {

constexpr std::uint32_t kWarpThreads = 64;

/// Runs a kernel whose body sets `r` for thread `t`; `words` are zeros that all threads share.
struct GroupCase {
  const char* name;
  const char* body;
  std::uint32_t (*want)(std::uint32_t thread);
  std::uint32_t word = 0;  ///< The first shared word, afterwards.
};

void check_group(const GroupCase& c, Build build) {
  CAPTURE(std::string(c.name));
  EngineRun run;
  run.source = std::string(
                   "__global__ void k(unsigned* words, unsigned* out) {\n"
                   "  unsigned t = threadIdx.x, r = 0;\n") +
               c.body + "\n  out[t] = r;\n}\n";
  run.entry = "k";
  run.build = build;
  run.block = {kWarpThreads, 1, 1};
  run.buffers = {buffer_of("words", DType::kI32, 4), buffer_of("out", DType::kI32, kWarpThreads)};
  const EngineResult result = run_engine(run, [](EngineResult& made) {
    for (std::uint32_t& value : made.buffer<std::uint32_t>(0)) {
      value = 0;
    }
  });
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  CHECK(result.buffer<std::uint32_t>(0)[0] == c.word);
  for (std::uint32_t i = 0; i < kWarpThreads; ++i) {
    CAPTURE(i);
    CHECK(result.buffer<std::uint32_t>(1)[i] == c.want(i));
  }
}

std::uint32_t nothing(std::uint32_t /*thread*/) {
  return 0;
}

const std::vector<GroupCase> kGroupCases = {
    {"idx", "asm volatile(\"shfl.sync.idx.b32 %0, %1, 3, 0x1f, -1;\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i / 32 * 32 + 3; }},
    {"bfly",
     "asm volatile(\"shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i ^ 1U; }},
    {"down with a predicate",
     "asm volatile(\"{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 4, 0x181f, -1; @p add.u32 "
     "%0, %0, 100; }\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i % 8 < 4 ? i + 104 : i; }},
    {"up with a predicate",
     "asm volatile(\"{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 1, 0, -1; @!p mov.u32 %0, 7; "
     "}\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i % 32 == 0 ? 7 : i - 1; }},
    {"a control word that is computed",
     "asm volatile(\"shfl.sync.idx.b32 %0, %1, 2, %2, -1;\" : \"=r\"(r) : \"r\"(t), "
     "\"r\"(words[1] + 0x1c1f));",
     [](std::uint32_t i) { return i / 4 * 4 + 2; }},
    {"ballot",
     "asm volatile(\"{ .reg .pred p; setp.lt.u32 p, %1, 40; vote.sync.ballot.b32 %0, p, -1; "
     "}\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i < 32 ? ~0U : 255U; }},
    {"all, any, uni",
     "asm volatile(\"{ .reg .pred p, q; setp.lt.u32 p, %1, 40; vote.sync.all.pred q, p, -1; "
     "selp.u32 %0, 1, 0, q; vote.sync.any.pred q, p, -1; @q add.u32 %0, %0, 2; "
     "vote.sync.uni.pred q, p, -1; @q add.u32 %0, %0, 4; }\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i < 32 ? 7U : 2U; }},
    {"match",
     "asm volatile(\"{ .reg .pred p; .reg .b32 a; and.b32 a, %1, 1; match.any.sync.b32 %0, a, "
     "-1; match.all.sync.b32 a|p, a, -1; @p mov.b32 %0, 1; add.u32 %0, %0, a; }\" : \"=r\"(r) : "
     "\"r\"(t));",
     [](std::uint32_t i) { return i % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU; }},
    {"redux",
     "asm volatile(\"{ .reg .b32 a; redux.sync.add.u32 a, 2, -1; redux.sync.max.s32 %0, %1, "
     "-1; add.u32 %0, %0, a; }\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t i) { return i < 32 ? 95U : 127U; }},
    {"activemask", "asm volatile(\"activemask.b32 %0; bar.warp.sync -1;\" : \"=r\"(r));",
     [](std::uint32_t) { return ~0U; }},
    {"a barrier",
     "__shared__ unsigned s[64]; s[t] = t; asm volatile(\"bar.sync 0; membar.gl;\" ::: "
     "\"memory\"); r = s[63 - t]; asm volatile(\"barrier.sync.aligned 0; fence.acq_rel.gpu;\" ::: "
     "\"memory\");",
     [](std::uint32_t i) { return 63 - i; }},
    {"a barrier that counts",
     "asm volatile(\"{ .reg .pred p, q; setp.lt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; "
     "bar.red.and.pred q, 0, p; @q add.u32 %0, %0, 100; barrier.cta.red.or.pred q, 0, p; @q "
     "add.u32 %0, "
     "%0, 200; }\" : \"=r\"(r) : \"r\"(t));",
     [](std::uint32_t) { return 240U; }},
    {"sums",
     "asm volatile(\"red.global.add.u32 [%0], %1;\" :: \"l\"(words), \"r\"(t) : "
     "\"memory\");",
     nothing, 2016},
    {"updates",
     "if (t == 0) asm volatile(\"atom.global.add.u32 %0, [%1], 5; atom.max.s32 %0, [%1], 9; "
     "atom.relaxed.gpu.min.u32 %0, [%1], 7; atom.inc.u32 %0, [%1], 7; atom.dec.u32 %0, [%1], 7; "
     "atom.or.b32 %0, [%1], 8; atom.xor.b32 %0, [%1], 1; atom.and.b32 %0, [%1], 0x16;\" : "
     "\"=r\"(r) : \"l\"(words) : \"memory\");",
     [](std::uint32_t i) { return i == 0 ? 14U : 0U; }, 6},
    {"swaps",
     "if (t == 0) asm volatile(\"atom.acq_rel.gpu.global.cas.b32 %0, [%1], 0, 3; "
     "atom.global.exch.b32 %0, [%1], 4;\" : \"=r\"(r) : \"l\"(words) : \"memory\");",
     [](std::uint32_t i) { return i == 0 ? 3U : 0U; }, 4},
    {"sums of floats",
     "asm volatile(\"red.relaxed.gpu.global.add.f32 [%0], 0f3F800000;\" :: \"l\"(words) : "
     "\"memory\");",
     nothing, 0x42800000},
    {"sums of halves",
     "asm volatile(\"red.global.add.noftz.f16x2 [%0], %1;\" :: \"l\"(words), "
     "\"r\"(0x40003c00) : \"memory\");",
     nothing, 0x58005400},
};

}  // namespace

TEST_SUITE("device.cpu.ptx") {
  TEST_CASE("warps and blocks do what PTX says, in every build") {
    for (const GroupCase& c : kGroupCases) {
      check_group(c, Build::kBounds);
      check_group(c, Build::kFast);
      check_group(c, Build::kProfile);
    }
  }

  TEST_CASE("an access by PTX is checked as one in C++ is") {
    EngineRun run;
    run.source =
        "__global__ void k(int* out) {\n  asm volatile(\"st.global.u32 [%0+16], 1;\" :: "
        "\"l\"(out));\n}\n";
    run.entry = "k";
    run.buffers = {buffer_of("out", DType::kI32, 4)};
    const EngineResult result = run_engine(run);
    REQUIRE_FALSE(result.outcome.ok());
    CHECK(result.fault().line == 2);
    run.source =
        "__global__ void k(int* out) {\n  __shared__ int tile[4];\n  tile[0] = 1;\n  unsigned at = "
        "(unsigned)__cvta_generic_to_shared(tile);\n  asm volatile(\"st.shared.u32 [%0+16], 1;\" "
        ":: "
        "\"r\"(at) : \"memory\");\n  out[0] = tile[0];\n}\n";
    const EngineResult shared = run_engine(run);
    REQUIRE_FALSE(shared.outcome.ok());
    CHECK(shared.fault().line == 5);
    run.source = "__global__ void k(int* out) {\n  asm volatile(\"trap;\");\n}\n";
    CHECK_FALSE(run_engine(run).outcome.ok());
  }
}

}  // namespace ws::test
