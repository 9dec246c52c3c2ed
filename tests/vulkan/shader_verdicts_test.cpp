// Shaders, good and bad, and the verdicts on them.
#include <doctest/doctest.h>

#include "tests/vulkan/doubling.h"

namespace ws::test {
namespace {

struct ShaderCase {
  const char* name;
  std::string source;
  const char* launch;  ///< Fields of the launch that differ.
  const char* verdict;
  const char* message;
};

/// Those that run.
const std::vector<ShaderCase>& runs() {
  static const std::vector<ShaderCase> cases = {
      {"right", doubling(kRight), "", "passed", ""},
      {"wrong", doubling("if (id.x < n) y[id.x] = 2 * x[id.x] + 4;"), "", "incorrect",
       "output `y`: 1000 of 1000 elements differ: every wrong value is 4 more than the right one"},
      {"unwritten", doubling("if (id.x < n && id.x != 7) y[id.x] = 2 * x[id.x];"), "", "incorrect",
       "output `y`: 1 of 1000 elements differ: only one element is wrong and never written: [7]"},
      {"store behind the end", doubling("y[id.x] = 2 * x[min(id.x, n - 1)];"), "", "out_of_bounds",
       "out-of-bounds write of 4 bytes at source:5 by thread (40,0,0) of block (15,0,0): y[1000], "
       "but it has 1000 elements"},
      {"store at a constant index behind the end",
       doubling(std::string(kRight) + " if (id.x == 0) y[1000] = 1;"), "", "out_of_bounds",
       "out-of-bounds write of 4 bytes at source:5 by thread (0,0,0) of block (0,0,0): y[1000], "
       "but it has 1000 elements"},
      {"load behind the end",
       doubling("float v = x[id.x == 1 ? n + 24 : 0]; " + std::string(kRight) +
                " if (v == 1e30) y[0] = v;"),
       "", "out_of_bounds",
       "out-of-bounds read of 4 bytes at source:5 by thread (1,0,0) of block (0,0,0): x[1024], but "
       "it has 1000 elements"},
      {"load before the start", doubling("int i = int(id.x) - 1; if (id.x < n) y[id.x] = x[i];"),
       "", "out_of_bounds",
       "out-of-bounds read of 4 bytes at source:5 by thread (0,0,0) of block (0,0,0): x[-1], but "
       "it "
       "has 1000 elements"},
      {"buffer of a function",
       kHead +
           std::string("float at(StructuredBuffer<float> b, uint i) { return b[i]; }\n"
                       "[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { float v "
                       "= at(x, id.x); if (id.x < n) y[id.x] = 2 * v; }\n"),
       "", "out_of_bounds",
       "out-of-bounds read of 4 bytes at source:4 by thread (40,0,0) of block (15,0,0): x[1000], "
       "but it has 1000 elements"},
      {"shared array",
       kHead + std::string("groupshared float tile[32];\n"
                           "[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID, uint i : "
                           "SV_GroupIndex) {\n"
                           "  if (id.x >= 64) i %= 32;\n"  // So that only one group is wrong.
                           "  tile[i] = x[min(id.x, n - 1)];\n"
                           "  if (id.x < n) y[id.x] = 2 * tile[i];\n}\n"),
       "", "out_of_bounds",
       "out-of-bounds write of 4 bytes at source:7 by thread (32,0,0) of block (0,0,0): tile[32], "
       "but it has 32 elements"},
      {"local array",
       doubling("float a[4]; for (uint i = 0; i < 4; ++i) { a[i] = 2; } if (id.x < n) y[id.x] = "
                "a[id.x == 4 ? 4 : id.x % 4] * x[id.x];"),
       "", "out_of_bounds",
       "out-of-bounds read of 4 bytes at source:5 by thread (4,0,0) of block (0,0,0): a local "
       "array[4], but it has 4 elements"},
      {"nan", doubling("if (id.x < n) y[id.x] = x[id.x] * asfloat(0x7fc00000);"), "",
       "incorrect_nan",
       "output `y`: 1000 of 1000 elements differ: 1000 elements are wrong, mostly NaN or infinite "
       "where the reference is finite"},
      {"endless",
       doubling("float s = 1; while (s > 0) { s += abs(x[0]); } if (id.x < n) y[id.x] = s;"), "",
       "timeout",
       "a thread was in the loop at source:5 after 65,535 turns of all its loops, where lavapipe "
       "ends them: the loop never ends, or the thread has too much to do for this device"},
  };
  return cases;
}

/// Those that the compiler refuses, or that do not fit their plan or the device.
const std::vector<ShaderCase>& refusals() {
  static const std::vector<ShaderCase> cases = {
      {"syntax", doubling("if (id.x < n) y[id.x] = 2 * ;"), "", "compile_error",
       "source:5: `expression`: Expected"},
      {"no entry", doubling(kRight), R"({"entry": "missing"})", "compile_error",
       "entry `missing`: the source has no such function"},
      {"binding that the plan lacks", doubling(kRight), R"({"args": ["x", "n"]})", "compile_error",
       "binding `y` of `k` is not an argument of launches[0]; it has x, n"},
      {"argument that the shader lacks", doubling("if (id.x < n) y[id.x] = 2;"), "",
       "compile_error",
       "launches[0].args[0]: `k` uses no binding and no constant `x`; it uses y, n"},
      {"name that is passed twice", doubling(kRight),
       R"({"args": ["x", "y", "n", {"buffer": "x", "as": "y"}]})", "compile_error",
       "launches[0].args[1]: `y` is passed twice"},
      {"threads that differ", doubling(kRight), R"({"block": ["128"]})", "compile_error",
       "launches[0].block is 128x1x1, but `k` has groups of 64x1x1 threads"},
      {"types that differ",
       "StructuredBuffer<int> x;\nRWStructuredBuffer<float> y;\n"
       "[[vk::push_constant]] cbuffer Sizes { uint n; };\n"
       "[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { if (id.x < n) y[id.x] = 2 "
       "* x[id.x]; }\n",
       "", "compile_error", "launches[0]: buffer `x` holds f32, but `x` of `k` is a buffer of int"},
      {"number that is a buffer", doubling(kRight),
       R"({"args": ["x", {"value": "n", "type": "u32", "as": "y"}, "n"]})", "compile_error",
       "launches[0].args[1]: argument `n` is a scalar, but parameter `a buffer of float y` is a "
       "pointer"},
      {"group above the limit",
       kHead + std::string("[numthreads(64, 32, 1)] void k(uint3 id : SV_DispatchThreadID) { if "
                           "(id.x < n) y[id.x] = 2 * x[id.x]; }\n"),
       R"({"block": ["64", "32"]})", "resource_limit",
       "launches[0]: a block of 64x32x1 threads; the device allows 1024 (at most 1024 in z)"},
      {"shared memory above the limit",
       kHead + std::string("groupshared float big[9000];\n"
                           "[numthreads(64, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { "
                           "big[id.x % 64] = x[min(id.x, n - 1)]; "
                           "if (id.x < n) y[id.x] = 2 * big[id.x % 64]; }\n"),
       "", "resource_limit",
       "launches[0]: `k` needs 36000 bytes of shared memory (36000 static, 0 dynamic); the device "
       "has 32768"},
      {"float for an integer", doubling(kRight),
       R"({"args": ["x", "y", {"value": "1.5", "type": "f32", "as": "n"}]})", "compile_error",
       "launches[0].args[2]: argument `1.5` is of type f32, but parameter `uint n` is an integer"},
      {"number of another size", doubling(kRight),
       R"({"args": ["x", "y", {"value": "n", "type": "u64", "as": "n"}]})", "compile_error",
       "launches[0].args[2]: argument `n` has 8 bytes (u64), but parameter `uint n` has 4"},
      {"grid above the limit", doubling(kRight), R"({"grid": ["70000"]})", "resource_limit",
       "launches[0]: a grid of 70000x1x1 blocks; the device allows 65535x65535x65535"},
      {"offset that no device binds", doubling(kRight),
       R"({"args": [{"buffer": "x", "offset": "1"}, "y", "n"]})", "resource_limit",
       "launches[0]: argument `x + 1` begins 4 bytes into the buffer; the device needs a multiple "
       "of 16"},
  };
  return cases;
}

void check_cases(const std::vector<ShaderCase>& cases) {
  if (!lavapipe_is_here()) {
    return;
  }
  for (const ShaderCase& row : cases) {
    CAPTURE(row.name);
    const Json answer = shader_tools().judge(doubling_problem(), shader(row.source, row.launch));
    CHECK(answer["verdict"] == row.verdict);
    if (answer.contains("runs")) {
      CHECK(answer.value("message", "") == row.message);
    } else {
      CHECK(answer["summary"] ==
            answer["kernel_id"].get<std::string>() + ": " + row.verdict + ": " + row.message);
    }
  }
}

}  // namespace

TEST_SUITE("tools.vulkan.verdicts") {
  TEST_CASE("a shader that runs has the verdict that it deserves") {
    check_cases(runs());
  }

  TEST_CASE("a shader that does not fit its plan or the device is refused") {
    check_cases(refusals());
  }
}

}  // namespace ws::test
