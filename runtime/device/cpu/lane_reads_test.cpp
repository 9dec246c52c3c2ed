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
