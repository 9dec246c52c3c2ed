// Sizes with more elements than a 32-bit index counts, which nothing can run whole.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// y[i * n + j] = 2 * x[i * n + j], for up to 40000 times `most` elements.
Json doubling(int most = 60000) {
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
          {"dims", {{"m", {{"values", {8, most}}}}, {"n", {{"values", {33, 40000}}}}}},
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

  TEST_CASE(
      "an unsigned index that wraps around within bounds is seen where the last block writes") {
    const Json wrong = tools().judge(
        doubling(200000), doubles("  unsigned at = (unsigned)i * (unsigned)n + (unsigned)j;\n"
                                  "  y[at] = 2 * x[at];\n"));
    CHECK(wrong["verdict"] == "incorrect");
    CHECK(
        wrong["message"] ==
        "with 8000000000 elements of `x`, more than a 32-bit index counts: blocks that ran, the "
        "last one among them, wrote `y[3705032703]` and not the last element, `y[7999999999]`: an "
        "index of 32 bits wraps around; use 64-bit indices, or say in the kernel's `constraints` "
        "which sizes it takes");
    CHECK(wrong["runs"].back()["workload"] == Json{{"m", 200000}, {"n", 40000}});
    CHECK_FALSE(wrong.contains("sparse"));
    // In bytes it wraps at a quarter as many elements.
    const Json bytes = tools().judge(
        doubling(),
        doubles("  unsigned at = ((unsigned)i * (unsigned)n + (unsigned)j) * 4;\n"
                "  *(float*)((char*)y + at) = 2 * *(const float*)((const char*)x + at);\n"));
    CHECK(bytes["verdict"] == "incorrect");
  }

  TEST_CASE("right kernels that write in other orders raise no such alarm") {
    const char* bodies[] = {
        "  y[(size_t)i * n + j] = 2 * x[(size_t)i * n + j];\n",
        // From the end on.
        "  size_t at = (size_t)m * n - 1 - ((size_t)i * n + j);\n  y[at] = 2 * x[at];\n",
        // All rows of a column by the first block row, in steps of the grid.
        "  for (size_t row = i; row < m; row += 8 * gridDim.y)\n"
        "    y[row * n + j] = 2 * x[row * n + j];\n",
        // Halves of the rows are exchanged, and columns are in groups.
        "  size_t at = (size_t)((i + m / 2) % m) * n + j;\n  y[at] = 2 * x[at];\n",
    };
    for (const char* body : bodies) {
      CAPTURE(body);
      const Json right = tools().judge(doubling(196608), doubles(body));
      REQUIRE_MESSAGE(right["verdict"] == "passed", right["summary"]);
      CHECK(right.contains("sparse"));
    }
  }

  TEST_CASE("sizes beyond the address space of a kernel are not looked at") {
    const Json right = tools().judge(
        doubling(262144), doubles("  y[(size_t)i * n + j] = 2 * x[(size_t)i * n + j];\n"));
    CAPTURE(right.dump());
    CHECK(right["verdict"] == "passed");
    CHECK_FALSE(right.contains("sparse"));
  }

  TEST_CASE("where an open dim's end takes too much memory a smaller size is looked at") {
    Json problem = doubling(64);
    problem["dims"]["m"] = {{"values", {8, 64}}, {"min", 1}, {"max", 262144}};
    const Json right =
        tools().judge(problem, doubles("  y[(size_t)i * n + j] = 2 * x[(size_t)i * n + j];\n"));
    REQUIRE_MESSAGE(right["verdict"] == "passed", right["summary"]);
    CHECK(right["sparse"]["workload"] == Json{{"m", 131072}, {"n", 40000}});
    CHECK(right["sparse"]["elements"] == 5'242'880'000);
    CHECK(right["not_tried"]["elements"] == 10'485'760'000);
    const Json wrong =
        tools().judge(problem, doubles("  int at = i * n + j;\n  y[at] = 2 * x[at];\n"));
    CHECK(wrong["verdict"] == "out_of_bounds");
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
