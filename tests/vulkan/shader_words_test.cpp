// The words of HLSL that docs/hlsl.md gives for CUDA's mean what they say there.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/vulkan/doubling.h"

namespace ws::test {
namespace {

struct ShaderWord {
  const char* word;   ///< As the page has it.
  const char* right;  ///< It is true in every thread: `v` is 1000, `one` 1, `lane` its lane.
};

constexpr ShaderWord kShaderWords[] = {
    {"rsqrt", "rsqrt(4.0 * one) == 0.5"},
    {"mad", "mad(2.0, one, 3.0) == 5"},
    {"asuint", "asuint(one) == 0x3f800000"},
    {"asfloat(0x7f800000)", "asfloat(0x7f800000) > 3e38 * one"},
    {"countbits", "countbits(v) == 6"},
    {"reversebits", "reversebits(v / 1000) == 0x80000000"},
    {"firstbitlow(v) + 1", "firstbitlow(v) + 1 == 4 && firstbitlow(v - 1000) + 1 == 0"},
    {"31 - firstbithigh(v)", "31 - firstbithigh(v) == 22 && 31 - firstbithigh(v - 1000) == 32"},
    {"0.0h", "float(half(one) + 0.5h) == 1.5"},
    {"uint64_t w = v;", "uint(w * w * w * w >> 32) == 232"},
    {"double", "float(double(one) / 4) == 0.25"},
    {"static const float t[4]", "table[v % 4] == 7"},
    {"WaveGetLaneIndex()", "WaveGetLaneIndex() < WaveGetLaneCount()"},
    {"WaveReadLaneAt", "WaveReadLaneAt(lane, lane ^ 1) == (lane ^ 1)"},
    {"WaveActiveSum", "WaveActiveSum(1u) == WaveActiveCountBits(true)"},
    {"WaveActiveMax", "WaveActiveMax(one) == 1"},
    {"WaveActiveBallot(p).x", "countbits(WaveActiveBallot(lane == 1).x) == 1"},
    {"WaveActiveAnyTrue", "WaveActiveAnyTrue(lane == 1)"},
    {"WaveActiveAllTrue", "!WaveActiveAllTrue(lane == 1)"},
};

/// Threads of the first group add and exchange; each sees a number of its own.
constexpr const char* kShaderAtomics =
    "  uint old = 99, other = 99;\n"
    "  if (thread == 0) { counts[0] = 0; counts[1] = 5; }\n"
    "  GroupMemoryBarrierWithGroupSync();\n"
    "  InterlockedAdd(counts[0], 1u, old);\n"
    "  if (thread == 0) InterlockedCompareExchange(counts[1], 5u, 6u, other);\n"
    "  GroupMemoryBarrier();\n"
    "  DeviceMemoryBarrier();\n"
    "  GroupMemoryBarrierWithGroupSync();\n"
    "  ok = ok && old < 64 && counts[0] == 64 && counts[1] == 6 && (thread != 0 || other == 5);\n"
    "  GroupMemoryBarrierWithGroupSync();\n"
    "  if (thread == 0) InterlockedExchange(counts[1], 8u, other);\n"
    "  ok = ok && (thread != 0 || other == 6);\n";

}  // namespace

TEST_SUITE("tools.vulkan.words") {
  TEST_CASE("each word that the page gives for CUDA's compiles and means the same") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string page = read_file(source_dir() / "docs/hlsl.md").value();
    std::string source =
        std::string(kHead) +
        "static const float table[4] = {7, 8, 9, 10};\n"
        "groupshared uint counts[2];\n"
        "[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID, uint thread : "
        "SV_GroupIndex) {\n"
        "  uint v = n > 0 ? 1000 : 0;\n"
        "  uint64_t w = v;\n"
        "  float one = n > 0 ? 1 : 0;\n"
        "  uint lane = WaveGetLaneIndex();\n"
        "  bool ok = true;\n";
    for (const ShaderWord& row : kShaderWords) {
      CAPTURE(row.word);
      CHECK(page.find(row.word) != std::string::npos);
      source += "  ok = ok && (" + std::string(row.right) + ");\n";
    }
    source += kShaderAtomics;
    source += "  if (id.x < n) y[id.x] = ok ? 2 * x[id.x] : 0;\n}\n";
    const Json answer = shader_tools().judge(doubling_problem(), shader(source));
    CHECK_MESSAGE(answer["verdict"] == "passed", answer.dump());
  }
}

}  // namespace ws::test
