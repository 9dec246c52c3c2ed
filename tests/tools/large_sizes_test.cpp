// Sizes with more elements than a 32-bit index counts, which nothing can run whole.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i * n + j] = 2 * x[i * n + j], for up to 2.4e9 elements.
Json doubling() {
  const Json array = {{"type", "f32"}, {"shape", {"m", "n"}}};
  Json x = array;
  x.update({{"name", "x"}, {"role", "in"}});
  Json y = array;
  y.update({{"name", "y"}, {"role", "out"}});
  const std::string body =
      "(const float* x, float* y, int m, int n) {\n"
      "  size_t at = (blockIdx.y * 8 + threadIdx.y) * (size_t)n + blockIdx.x * 32 + threadIdx.x;\n"
      "  if (blockIdx.x * 32 + threadIdx.x < n && blockIdx.y * 8 + threadIdx.y < m)\n"
      "    y[at] = 2 * x[at];\n}\n";
  return {{"name", "doubling"},
          {"dims", {{"m", {{"values", {8, 60000}}}}, {"n", {{"values", {33, 40000}}}}}},
          {"args", {x, y}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "reference"},
            {"source", "__global__ void reference" + body},
            {"launches",
             {{{"entry", "reference"},
               {"grid", {"cdiv(n, 32)", "cdiv(m, 8)"}},
               {"block", {"32", "8"}},
               {"args", {"x", "y", "m", "n"}}}}}}}};
}

/// A kernel with a thread for each element of 8 rows and 32 columns.
Json doubles(const std::string& body) {
  return {{"name", "k"},
          {"language", "cuda"},
          {"source",
           "__global__ void k(const float* x, float* y, int m, int n) {\n"
           "  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;\n"
           "  if (i >= m || j >= n) return;\n" +
               body + "}\n"},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"cdiv(n, 32)", "cdiv(m, 8)"}},
             {"block", {"32", "8"}},
             {"args", {"x", "y", "m", "n"}}}}}};
}

}  // namespace

TEST_SUITE("tools.large_sizes") {
  TEST_CASE("an index that overflows at a size too large to run is out of bounds, with its line") {
    const Json wrong =
        tools().judge(doubling(), doubles("  int at = i * n + j;\n  y[at] = 2 * x[at];\n"));
    CHECK(wrong["verdict"] == "out_of_bounds");
    const std::string message = wrong["message"];
    // Which block comes first is not decided.
    CHECK(
        message.starts_with("with 2400000000 elements of `x`, more than a 32-bit index counts: "
                            "out-of-bounds read of 4 bytes at source:5 by thread ("));
    CHECK(
        message.ends_with(", but it has 2400000000 elements; use 64-bit indices, or say in the "
                          "kernel's `constraints` which sizes it takes"));
    CHECK(wrong["fault"]["line"] == 5);
    CHECK(wrong["runs"].back()["workload"] == Json{{"m", 60000}, {"n", 40000}});
    CHECK(wrong["runs"].back()["distribution"] == "zeros");
  }

  TEST_CASE("a pass says how many blocks stayed within bounds there") {
    const Json right = tools().judge(
        doubling(), doubles("  size_t at = (size_t)i * n + j;\n  y[at] = 2 * x[at];\n"));
    REQUIRE_MESSAGE(right["verdict"] == "passed", right["summary"]);
    CHECK(right["summary"].get<std::string>().ends_with(
        "not tried: more than 2^31 elements of `x` (32 of 9375000 blocks stayed within bounds at "
        "2400000000)"));
    CHECK(right["sparse"] == Json{{"argument", "x"},
                                  {"elements", 2'400'000'000},
                                  {"workload", {{"m", 60000}, {"n", 40000}}},
                                  {"blocks", 32},
                                  {"of", 9'375'000}});
    const Json again = tools().result("validate", {{"kernel_id", right["kernel_id"]}});
    CHECK(again["evidence_id"] == right["evidence_id"]);
    CHECK(again["sparse"] == right["sparse"]);
  }

  TEST_CASE("blocks that wait for others, or that zeros lead astray, tell nothing") {
    const Json waits = tools().judge(
        doubling(), doubles("  size_t at = (size_t)i * n + j;\n"
                            "  if (m > 8) while (((volatile float*)y)[0] == 0) __nanosleep(100);\n"
                            "  y[at] = 2 * x[at];\n"));
    REQUIRE_MESSAGE(waits["verdict"] == "passed", waits["summary"]);
    CHECK_FALSE(waits.contains("sparse"));
    CHECK(
        waits["summary"].get<std::string>().ends_with("not tried: more than 2^31 elements of `x`"));
    const Json astray = tools().judge(
        doubling(),
        doubles("  size_t at = (size_t)i * n + j;\n"
                "  bool zeros = x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0 && x[4] == 0;\n"
                "  y[zeros && i == 0 ? at - 1 : at] = 2 * x[at];\n"));
    REQUIRE_MESSAGE(astray["verdict"] == "passed", astray["summary"]);
    CHECK_FALSE(astray.contains("sparse"));
  }
}

}  // namespace ws::test
