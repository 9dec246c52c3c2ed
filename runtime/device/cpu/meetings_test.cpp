// __activemask(): the lanes that come to a place together, and what kernels build on it.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr int kThreads = 72;  // Two warps and a part of a third one.

/// The results of all threads, in x.
std::vector<unsigned> run_body(const std::string& body, Build build, RunOrder order) {
  EngineRun run = {
      .source =
          "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
          "__global__ void k(unsigned* x, unsigned* counter) {\n"
          "  unsigned t = threadIdx.x, lane = t % 32;\n" +
          body + "\n}",
      .entry = "k",
      .build = build,
      .block = {kThreads, 1, 1},
      .buffers = {buffer_of("x", DType::kI32, kThreads), buffer_of("counter", DType::kI32, 2)},
      .mode = {.order = order}};
  const EngineResult result = run_engine(run);
  REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
  const auto x = result.buffer<unsigned>(0);
  return {x.begin(), x.end()};
}

struct Meeting {
  const char* name;
  const char* body;
  unsigned (*want)(unsigned thread);
};

/// The lanes that a thread's warp has.
unsigned warp_of(unsigned thread) {
  return thread < 64 ? ~0U : 0xffU;
}

/// Lanes of one mask at different places. The results are those of an H100.
constexpr Meeting kApart[] = {
    {"a shuffle in two branches",
     "  if (lane < 16) x[t] = __shfl_xor_sync(~0u, lane * 3 + 1, 16) + 7;\n"
     "  else x[t] = __shfl_xor_sync(~0u, lane * 5, 16) * 2;",
     [](unsigned lane) { return lane < 16 ? (lane + 16) * 5 + 7 : ((lane - 16) * 3 + 1) * 2; }},
    {"a vote in two branches",
     "  if (lane % 3) x[t] = __ballot_sync(~0u, lane & 1);\n"
     "  else x[t] = __ballot_sync(~0u, lane & 2) ^ 5;",
     [](unsigned lane) { return lane % 3 == 0 ? 0xea8ea8efU : 0xea8ea8eaU; }},
    {"a match in two branches",
     "  if (lane % 2) x[t] = __match_any_sync(~0u, lane / 4);\n"
     "  else x[t] = __match_any_sync(~0u, lane / 8);",
     [](unsigned lane) {
       const auto value = [](unsigned of) { return of % 2 != 0 ? of / 4 : of / 8; };
       unsigned equal = 0;
       for (unsigned other = 0; other < 32; ++other) {
         equal |= value(other) == value(lane) ? 1U << other : 0U;
       }
       return equal;
     }},
    {"a shuffle of lanes in a loop with those that left it",
     "  unsigned a = 0, rounds = lane < 16 ? 2 : 1;\n"
     "  for (unsigned r = 0; r < rounds; ++r) a = a * 7 + __shfl_xor_sync(~0u, lane + 100 * r, "
     "16);\n"
     "  unsigned last = __shfl_xor_sync(~0u, lane + 1000, 16);\n"
     "  x[t] = lane < 16 ? a : a * 7 + last;",
     [](unsigned lane) {
       return lane < 16 ? (lane + 16) * 7 + lane + 1016 : (lane - 16) * 7 + lane + 84;
     }},
    {"__syncwarp() in two branches",
     "  __shared__ volatile unsigned s[96];\n  s[t] = 0;\n"
     "  if (lane < 16) { s[t] = lane + 1; __syncwarp(); x[t] = s[t + 16]; }\n"
     "  else { s[t] = lane + 500; __syncwarp(); x[t] = s[t - 16] * 3; }",
     [](unsigned lane) { return lane < 16 ? lane + 516 : (lane - 15) * 3; }},
};

constexpr const char* kRanked =
    "  unsigned mine = 0;\n  if (lane % 3 == 1) {\n"
    "    unsigned active = __activemask();\n    int leader = __ffs(active) - 1;\n"
    "    unsigned first = 0;\n"
    "    if ((int)lane == leader) first = atomicAdd(counter, __popc(active));\n"
    "    first = __shfl_sync(active, first, leader);\n"
    "    mine = 1 + first + __popc(active & ((1u << lane) - 1));\n  }\n  x[t] = mine;";

const Meeting kMeetings[] = {
    {"the whole warp", "  x[t] = __activemask();", &warp_of},
    {"the lanes in a branch", "  x[t] = 0;\n  if (lane % 3 == 1) x[t] = __activemask();",
     [](unsigned t) { return t % 32 % 3 == 1 ? 0x92492492U & warp_of(t) : 0U; }},
    {"both sides of a branch", "  if (lane < 5) x[t] = __activemask(); else x[t] = __activemask();",
     [](unsigned t) { return (t % 32 < 5 ? 0x1fU : ~0x1fU) & warp_of(t); }},
    {"lanes that ended are not there",
     "  x[t] = 7;\n  if (lane >= 6) return;\n  x[t] = __activemask();",
     [](unsigned t) { return t % 32 < 6 ? 0x3fU : 7U; }},
    {"lanes at a barrier are not there",
     "  x[t] = 7;\n  if (lane < 4) x[t] = __activemask();\n  __syncthreads();",
     [](unsigned t) { return t % 32 < 4 ? 0xfU : 7U; }},
    {"lanes at a shuffle are not there",
     "  unsigned v = t;\n  if (lane % 2 == 0) v = __activemask();\n"
     "  else v = __shfl_sync(t < 64 ? 0xaaaaaaaau : 0xaau, v, 1);\n  x[t] = v;",
     [](unsigned t) { return t % 2 == 0 ? 0x55555555U & warp_of(t) : t / 32 * 32 + 1; }},
    {"the rank of a lane in its group",
     "  x[t] = 0;\n  if (lane % 4 == 2) {\n    cg::coalesced_group group = "
     "cg::coalesced_threads();\n"
     "    x[t] = group.thread_rank() + 100 * group.size();\n  }",
     [](unsigned t) { return t % 4 == 2 ? t % 32 / 4 + 100 * (t < 64 ? 8 : 2) : 0U; }},
    {"shuffles and votes of a group",
     "  x[t] = 0;\n  if (lane % 4 == 2) {\n    auto group = cg::coalesced_threads();\n"
     "    group.sync();\n    cg::sync(group);\n"
     "    x[t] = group.shfl(t, 1) + 100 * group.shfl_up(lane, 1) + 10000 * group.shfl_down(lane, "
     "1)\n"
     "        + 1000000 * (group.ballot(lane < 7) + 4 * group.any(lane == 2) + 8 * group.all(lane "
     "> 2));\n"
     "  }",
     [](unsigned t) {
       const unsigned lane = t % 32;
       const unsigned last = t < 64 ? 30 : 6;
       return t % 4 != 2 ? 0U
                         : t / 32 * 32 + 6 + 100 * (lane == 2 ? lane : lane - 4) +
                               10000 * (lane == last ? lane : lane + 4) + 7000000U;
     }},
    {"a sum and equal values of a group",
     "  x[t] = 0;\n  if (lane % 4 == 2) {\n    auto group = cg::coalesced_threads();\n"
     "    x[t] = cg::reduce(group, lane, cg::plus<unsigned>()) + 1000 * group.match_any(lane < "
     "7);\n"
     "  }",
     [](unsigned t) {
       return t % 4 != 2 ? 0U : (t < 64 ? 128U : 8U) + 1000U * (t % 32 < 7 ? 3U : 0xfcU);
     }},
};

}  // namespace

TEST_SUITE("device.cpu.meetings") {
  TEST_CASE("the lanes of a warp that come to a place together know each other") {
    for (const Meeting& c : kMeetings) {
      for (const Build build : {Build::kFast, Build::kBounds, Build::kProfile}) {
        for (const RunOrder order :
             {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
          if (build == Build::kProfile && order != RunOrder::kAscending) {
            continue;
          }
          CAPTURE(std::string(c.name));
          CAPTURE(std::string(name_of(order)));
          const std::vector<unsigned> got = run_body(c.body, build, order);
          for (unsigned t = 0; t < kThreads; ++t) {
            CAPTURE(t);
            CHECK(got[t] == c.want(t));
          }
        }
      }
    }
  }

  TEST_CASE("lanes of one mask meet at different places as on a GPU since Volta") {
    for (const Meeting& c : kApart) {
      for (const Build build : {Build::kFast, Build::kBounds}) {
        CAPTURE(std::string(c.name));
        const std::vector<unsigned> got = run_body(c.body, build, RunOrder::kAscending);
        for (unsigned t = 0; t < 64; ++t) {
          CHECK(got[t] == c.want(t % 32));
        }
      }
    }
  }

  TEST_CASE("one atomic of a leader gives each of its lanes a place of its own") {
    for (const RunOrder order : {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
      const std::vector<unsigned> got = run_body(kRanked, Build::kBounds, order);
      std::vector<bool> taken(25);
      for (unsigned t = 0; t < kThreads; ++t) {
        CHECK((got[t] != 0) == (t % 32 % 3 == 1));
        if (got[t] != 0) {
          REQUIRE(got[t] <= 25);
          CHECK_FALSE(taken[got[t] - 1]);
          taken[got[t] - 1] = true;
        }
      }
    }
  }

  TEST_CASE("a lane that waits for one at the meeting does not keep it there") {
    for (const RunOrder order : {RunOrder::kAscending, RunOrder::kDescending, RunOrder::kRandom}) {
      const std::vector<unsigned> got = run_body(
          "  __shared__ volatile unsigned met[3];\n  met[t / 32] = 0;\n  __syncthreads();\n"
          "  if (lane == 3) {\n    while (met[t / 32] == 0) { }\n    x[t] = met[t / 32];\n"
          "  } else {\n    x[t] = met[t / 32] = __activemask();\n  }",
          Build::kBounds, order);
      for (unsigned t = 0; t < kThreads; ++t) {
        CHECK(got[t] == (warp_of(t) & ~8U));
      }
    }
  }
}

}  // namespace ws::test
