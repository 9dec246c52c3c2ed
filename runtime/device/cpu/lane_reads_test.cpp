// Shuffles of a value that all lanes keep already: they are no stops, and give what fibers give.
#include <doctest/doctest.h>

#include "runtime/device/cpu/test_phases.h"

namespace ws::test {
namespace {

constexpr const char* kSumOfLanes =
    "int v = y[i], sum = 0;\n"
    "#pragma unroll\n"
    "for (int k = 0; k < 32; ++k) sum = sum * 3 + __shfl_sync(~0u, v, k ^ (t & 3));\n"
    "x[i] = sum;";

constexpr const char* kLoopOverLanes =
    "long long v = y[i] * 100000000000LL + t; int sum = __shfl_sync(~0u, v, 5);\n"
    "for (int k = 0; k < 32; ++k) sum = sum * 3 + (int)(__shfl_sync(~0u, v, k + t) >> 7);\n"
    "x[i] = sum;";

constexpr const char* kNewValueEachRound =
    "int v = y[i], sum = 0;\n"
    "for (int r = 0; r < n % 7 + 2; ++r) {\n"
    "  __syncwarp(); v = v * 5 + r; __syncwarp();\n"
    "  sum += __shfl_sync(~0u, v, t / 2) * 3 + __shfl_sync(~0u, v, t + 9); }\n"
    "x[i] = sum;";

/// Nobody waits between the last shuffle of a round and the next value.
constexpr const char* kNoMeetingAfter =
    "int v = y[i], sum = 0;\n"
    "for (int r = 0; r < n % 7 + 2; ++r) {\n"
    "  v = v * 5 + r; __syncwarp();\n"
    "  sum += __shfl_sync(~0u, v, t / 2) * 3 + __shfl_sync(~0u, v, t + 9); }\n"
    "x[i] = sum;";

constexpr const char* kMovedBefore =
    "int a = y[i], b = x[i]; __syncwarp();\n"
    "x[i] = __shfl_sync(~0u, a * 3 + t, t ^ 7) + 2 * __shfl_sync(~0u, a ^ t, 31 - t % 32) + b;";

constexpr const char* kOfLoadsBehind =
    "__syncwarp(); int v = y[i];\n"
    "x[i] = __shfl_sync(~0u, v, 3) + __shfl_sync(~0u, v, t + 1);";

/// The second shuffle comes first, and what it gives is known before the first `__syncwarp`.
constexpr const char* kOtherOrder =
    "int a = y[i], s = 0, k = 0, P;\n"
    "goto start;\n"
    "a:\n"
    "  if (n & 2) atomicAdd(&x[i + 2500], 3);\n"
    "  s += __shfl_sync(~0u, P, k + 3 + t); a += s & 15;\n"
    "  if (++k >= n % 7 + 3) goto end;\n"
    "start:\n"
    "  __syncwarp(); P = a * 3 + k; __syncwarp();\n"
    "  if (k & 1) { x[i + 320] = k; goto b; } else { atomicAdd(&x[i + 1000], 3); goto b; }\n"
    "b:\n"
    "  s += __shfl_sync(~0u, P + 1, t + 9) * 5; __syncwarp();\n"
    "  if (n & 1) { x[i + 640] = s; goto a; } else { atomicAdd(&x[i + 2000], 3); goto a; }\n"
    "end:\n"
    "x[i] = s;";

/// Lanes meet lanes that are in another arm of a branch.
constexpr const char* kArms =
    "int a = y[i];\n"
    "if (t % 32 < 16) { int v = a * 3 + 1; __syncwarp(); x[i] = __shfl_sync(~0u, v, 20); }\n"
    "else { int w = a * 5 + 2; __syncwarp(); x[i] = __shfl_sync(~0u, w, 3) + 7; }";

constexpr const char* kArmsWithLoops =
    "int a = y[i], r = 0, rounds = n % 7 + 2;\n"
    "if (t % 32 < 16) {\n"
    "  for (int k = 0; k < rounds; ++k) {\n"
    "    a = a * 3 + 1; __syncwarp(); r += __shfl_sync(~0u, a, 20); __syncwarp(); }\n"
    "} else {\n"
    "  for (int k = 0; k < rounds; ++k) {\n"
    "    a = a * 5 + 2; __syncwarp(); r ^= __shfl_sync(~0u, a, 3); __syncwarp(); } }\n"
    "x[i] = r;";

/// The one arm returns.
constexpr const char* kArmThatEnds =
    "int a = y[i];\n"
    "if (t % 32 < 16) { a += __shfl_xor_sync(~0u, a, 1); int v = a;\n"
    "  a += __shfl_xor_sync(~0u, a, 2); x[i] = a + __shfl_sync(~0u, v, 31); return; }\n"
    "a = max(a, __shfl_xor_sync(~0u, a, 1)); int v = a;\n"
    "a = max(a, __shfl_xor_sync(~0u, a, 2)); x[i] = a + __shfl_sync(~0u, v, 0);";

/// All warps go the same way each, but not the compiler knows that.
constexpr const char* kOneArm =
    "int v = y[i], sum = 0; int warp = (blockIdx.x * threads + t) / 32;\n"
    "for (int r = 0; r < 3; ++r) { v = v * 5 + r;\n"
    "  if (warp + r < 7) { __syncwarp(); sum += __shfl_sync(~0u, v, t / 2); __syncwarp(); } }\n"
    "x[i] = sum;";

/// No guard of a checked build can tell where they lead: threads run one by one.
constexpr const char* kIndices =
    "int v = y[i];\n"
    "x[i] = y[__shfl_sync(~0u, v, 3)] + y[__shfl_sync(~0u, v, t + 1)];";

const PhaseCase kReadCases[] = {
    {"all lanes by turns", kSumOfLanes},
    {"all lanes by turns, in rows", kSumOfLanes, {16, 4, 2}},
    {"a loop over lanes", kLoopOverLanes},
    {"a new value each round", kNewValueEachRound},
    {"a new value each round without a meeting", kNoMeetingAfter},
    {"values that are computed behind the meeting", kMovedBefore},
    {"values that are loaded behind the meeting", kOfLoadsBehind},
    {"indices that other lanes give", kIndices},
    {"shuffles in another order than their blocks", kOtherOrder},
    {"arms of a branch", kArms},
    {"arms of a branch, with loops", kArmsWithLoops},
    {"an arm that ends", kArmThatEnds},
    {"an arm that whole warps take", kOneArm},
    {"a partial warp", kSumOfLanes, {48, 1, 1}},
    {"a partial warp, 64 bits", kLoopOverLanes, {40, 1, 1}},
};

std::size_t stops_of(const std::string& body) {
  return run_phase_case(phase_run({.name = "", .body = body}, Build::kFast))
      .compiled->image.entries[0]
      .phases.stops.size();
}

}  // namespace

TEST_SUITE("device.cpu.lane_reads") {
  TEST_CASE("reads of other lanes give what fibers give") {
    for (const PhaseCase& c : kReadCases) {
      check_as_on_fibers(c);
    }
  }

  TEST_CASE("a shuffle is no stop where all lanes have kept its value, and keep it") {
    CHECK(stops_of(kSumOfLanes) == 1);
    CHECK(stops_of(kLoopOverLanes) == 1);
    CHECK(stops_of(kNewValueEachRound) == 2);
    CHECK(stops_of(kMovedBefore) == 1);
    CHECK(stops_of(kOfLoadsBehind) == 2);
    CHECK(stops_of(kNoMeetingAfter) == 3);
    CHECK(stops_of(kOneArm) == 2);
  }

  TEST_CASE("a lane that ended before gives nonsense") {
    const char* const body =
        "int v = y[i]; if (t % 32 >= 8) return;\n"
        "int first = __shfl_sync(~0u, v, 2); x[i] = first * 0 + __shfl_sync(~0u, v, 20);";
    const EngineResult result = run_phase_case(phase_run({.name = "", .body = body}, Build::kFast));
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] != result.buffer<int>(1)[20]);
    CHECK(result.buffer<int>(0)[0] != result.buffer<int>(1)[0]);
  }

  TEST_CASE("a lane that ended behind an earlier meeting gives nonsense") {
    const std::string before =
        "int v = y[i], s = __shfl_sync(~0u, v, 2);\n"
        "if (t % 32 >= 8) return;\n"
        "__syncwarp(); x[i] = s * 0 + __shfl_sync(~0u, v, 20);";
    const std::string in_a_loop =
        "int v = y[i];\n"
        "for (int k = 0; k < n / 100; ++k) {\n"
        "  int s = __shfl_xor_sync(~0u, v, 1); x[i] = s * 0 + __shfl_sync(~0u, v, 20);\n"
        "  if (t % 32 == 20 && k == 3) return;\n"
        "  __syncwarp(); }";
    for (const std::string& body : {before, in_a_loop}) {
      CAPTURE(body);
      for (const Build build : {Build::kFast, Build::kBounds}) {
        const EngineResult result = run_phase_case(phase_run({.name = "", .body = body}, build));
        REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
        CHECK(result.buffer<int>(0)[0] != result.buffer<int>(1)[20]);
      }
    }
  }

  TEST_CASE("the nonsense of a lane that ended is no small number") {
    const char* const body =
        "if (t % 32 >= 8) return;\n"
        "float v = y[i]; __syncwarp(); x[i] = __shfl_sync(~0u, v, 20) < 1000000.0f;";
    const EngineResult result = run_phase_case(phase_run({.name = "", .body = body}, Build::kFast));
    REQUIRE_MESSAGE(result.outcome.ok(), result.fault().message);
    CHECK(result.buffer<int>(0)[0] == 0);
  }

  TEST_CASE("lanes that leave the way between a meeting and its shuffle are found") {
    const char* const body =
        "int v = y[i], s = 0;\n"
        "for (int k = 0;; ++k) {\n"
        "  s += __shfl_xor_sync(~0u, v, 1);\n"
        "  if (((t % 32 < 16) ? 1 : 0) == (k & 1)) {\n"
        "    s += __shfl_sync(~0u, v, k & 31) * 3;\n"
        "    if (k >= n / 100) break; } }\n"
        "x[i] = s;";
    for (const Build build : {Build::kFast, Build::kBounds}) {
      const EngineResult result = run_phase_case(phase_run({.name = "", .body = body}, build));
      REQUIRE_FALSE(result.outcome.ok());
      CHECK(result.fault().kind == "barrier_divergence");
    }
  }

  TEST_CASE("a shuffle that only some lanes come to stays one, and is found") {
    for (const Build build : {Build::kFast, Build::kBounds}) {
      const EngineResult result = run_phase_case(phase_run(
          {.name = "",
           .body = "int v = y[i]; __syncwarp(); if (t % 32 < 16) v = __shfl_sync(~0u, v, 3);\n"
                   "__syncthreads(); x[i] = v;"},
          build));
      CHECK_FALSE(result.outcome.ok());
    }
  }
}

}  // namespace ws::test
