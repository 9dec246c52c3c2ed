// Kernels that copy several small numbers as one large one.
#include <doctest/doctest.h>

#include "tests/ir/program_bench.h"
#include "tests/support/cuir_forms.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Each of 64 threads has eight halves of its own: `x + at` and `out + at`.
Json halves(const std::string& body) {
  return {
      {"name", "halves"},
      {"language", "cuda"},
      {"source",
       "#include <cuda_fp16.h>\n"
       "__global__ void halves(const half* x, half* out) {\n"
       "  const int at = (blockIdx.x * 64 + threadIdx.x) * 8;\n" +
           body + "}\n"},
      {"launches", Json::parse(R"json([{"entry": "halves", "grid": ["n // 512"], "block": ["64"],
                                        "args": ["x", "out"]}])json")}};
}

Json problem_of_halves() {
  return Json::parse(R"({
    "name": "halves",
    "dims": {"n": [1024]},
    "args": [{"name": "x", "type": "f16", "shape": ["n"], "role": "in", "fill": "normal"},
             {"name": "out", "type": "f16", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "copy", "source":
      "#include <cuda_fp16.h>\n__global__ void copy(const half* x, half* out) { out[blockIdx.x] = x[blockIdx.x]; }",
      "launches": [{"entry": "copy", "grid": ["n"], "block": ["1"], "args": ["x", "out"]}]}})");
}

struct Outcome {
  Json lift;
  Json checked;
};

Outcome outcome_of(const std::string& body) {
  const std::string id = tools().compiled(problem_of_halves(), halves(body));
  Outcome made;
  made.lift = tools().result("lift_to_ir", {{"kernel_id", id}, {"detail", "full"}});
  if (made.lift["verdict"] == "lifted") {
    made.checked = tools().result(
        "verify_ir",
        {{"kernel_id", id}, {"ir", made.lift["ir"]}, {"schedules", 2}, {"mode", "f32"}});
  }
  return made;
}

void is_right(const std::string& body) {
  const Outcome made = outcome_of(body);
  REQUIRE_MESSAGE(made.lift["verdict"] == "lifted", made.lift.dump());
  CHECK_MESSAGE(made.checked["verdict"] == "ok", made.checked.dump());
}

}  // namespace

TEST_SUITE("tools.lift_bits") {
  TEST_CASE("halves that are copied as a float4 are halves") {
    is_right("  *(float4*)(out + at) = *(const float4*)(x + at);\n");
  }

  TEST_CASE("they may be read one by one in between, and be changed") {
    is_right(
        "  half v[8];\n"
        "  *(float4*)v = *(const float4*)(x + at);\n"
        "  for (int i = 0; i < 8; ++i) v[i] = __float2half(__half2float(v[i]) * 2.0f);\n"
        "  *(float4*)(out + at) = *(float4*)v;\n");
    is_right(
        "  const int4 v = *(const int4*)(x + at);\n"
        "  const half* one = (const half*)&v;\n"
        "  for (int i = 0; i < 8; ++i) out[at + i] = one[7 - i];\n");
  }

  TEST_CASE("a pointer may be null before it is assigned") {
    is_right(
        "  const half* from = nullptr;\n"
        "  from = x + at;\n"
        "  for (int i = 0; i < 8; ++i) out[at + i] = from[i];\n");
    const Outcome made = outcome_of(
        "  const half* from = nullptr;\n"
        "  for (int i = 0; i < 8; ++i) out[at + i] = from[i];\n");
    CHECK(made.lift["summary"] == "failed: line 5: a pointer to something unknown is followed");
  }

  TEST_CASE("zeros are zeros of every type") {
    is_right("  *(int4*)(out + at) = make_int4(0, 0, 0, 0);\n");
  }

  TEST_CASE("bits that a kernel computes with are not lifted") {
    const Outcome made = outcome_of(
        "  const unsigned v = *(const unsigned*)(x + at);\n"
        "  *(unsigned*)(out + at) = v + 1u;\n");
    CHECK(made.lift["summary"] == "failed: line 5: a number of 4 bytes is written over 2 of 2");
  }

  TEST_CASE("bits of one type are no number of another one, unless they are zero") {
    const Outcome made = outcome_of(
        "  int bits = 5;\n"
        "  out[at] = __float2half(*(const float*)&bits);\n");
    CHECK(made.lift["summary"] == "failed: line 5: bits of `bits` are read as a float");
  }

  TEST_CASE("halves of a register are read and written one by one") {
    // Each element of the output is computed in the same way: that makes a tile of them.
    is_right(
        "  for (int i = 0; i < 8; i += 2) {\n"
        "    unsigned pair = *(const unsigned*)(x + at + i);\n"
        "    half* const each = (half*)&pair;\n"
        "    const half first = each[0];\n"
        "    each[0] = __float2half(__half2float(each[1]) * 2.0f);\n"
        "    each[1] = __float2half(__half2float(first) * 2.0f);\n"
        "    *(unsigned*)(out + at + i) = pair;\n"
        "  }\n");
    const Outcome made = outcome_of(
        "  unsigned pair = *(const unsigned*)(x + at);\n"
        "  half* const each = (half*)&pair;\n"
        "  each[1] = __float2half(__half2float(each[0]) * 2.0f);\n"
        "  for (int i = 0; i < 8; ++i) out[at + i] = each[i % 2];\n");
    CHECK(made.lift["summary"] ==
          "failed: line 7: elements of a tile that are computed in different ways");
  }
}

}  // namespace ws::test
