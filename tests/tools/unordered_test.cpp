// Outputs without order, from the problem to the verdict on the CPU engine.
#include <doctest/doctest.h>

#include "runtime/base/verdict.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// The multiples of 3 among x, and how many there are.
Json kept_problem(const char* fill, int n) {
  Json problem = Json::parse(R"json({
    "name": "kept",
    "dims": {"n": {"values": [10], "min": 1, "max": 5000}},
    "args": [{"name": "x", "type": "i32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "i32", "shape": ["n"], "role": "out",
              "unordered": {"count": "found"}},
             {"name": "found", "type": "i32", "shape": [1], "role": "inout", "fill": "zeros"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "kept"}})json");
  problem["dims"]["n"]["values"] = {n};
  problem["args"][0]["fill"] = Json::parse(fill);
  problem["reference"]["source"] =
      "__global__ void kept(const int* x, int* y, int* found, int n) {\n"
      "  for (int i = 0; i < n; ++i)\n    if (x[i] % 3 == 0) y[found[0]++] = x[i];\n}\n";
  problem["reference"]["launches"] = {
      {{"entry", "kept"}, {"grid", {1}}, {"block", {1}}, {"args", {"x", "y", "found", "n"}}}};
  return problem;
}

constexpr const char* kRange = R"({"kind": "range", "low": -1000, "high": 1000})";

/// A kernel for it; `i` is the element.
Json kept_kernel(const std::string& body) {
  return {{"name", "kept"},
          {"source",
           "__global__ void k(const int* x, int* y, int* found, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
               body + "\n}\n"},
          {"launches",
           {{{"entry", "k"},
             {"grid", {"cdiv(n, 64)"}},
             {"block", {64}},
             {"args", {"x", "y", "found", "n"}}}}}};
}

const char* const kRight = "  if (i < n && x[i] % 3 == 0) y[atomicAdd(found, 1)] = x[i];";

struct Wrong {
  const char* body;
  const char* message;
};

/// Kernels that keep the wrong ones of the numbers from 0 to 9.
constexpr Wrong kWrong[] = {
    {"  if (i < n && x[i] % 3 == 0) y[atomicAdd(found, 1)] = x[i] == 9 ? 100 : x[i];",
     "output `y`: 1 of 4 values is missing (9), 1 of 4 values is surplus (100)"},
    {"  if (i < n && x[i] % 3 == 0 && x[i] != 6) y[atomicAdd(found, 1)] = x[i];",
     "output `y`: 1 of 4 values is missing (6); `found` is 3, not 4"},
    {"  if (i < n && x[i] % 3 < 2) y[atomicAdd(found, 1)] = x[i];",
     "output `y`: 3 of 7 values are surplus (1 among them); `found` is 7, not 4"},
    {"  if (i < n && x[i] % 3 == 0) y[min(atomicAdd(found, 1), 2)] = x[i];",
     "output `y`: 1 of 4 values is missing (6), 1 of 4 values is surplus ("},
};

}  // namespace

TEST_SUITE("tools.unordered") {
  TEST_CASE("a compaction passes whatever the order in which blocks run") {
    for (const char* level : {"quick", "standard"}) {
      CAPTURE(std::string(level));
      const Json output = tools().judge(kept_problem(kRange, 1000), kept_kernel(kRight), level);
      CHECK_MESSAGE(output["verdict"] == "passed", output["summary"]);
    }
  }

  TEST_CASE("the value that is missing or surplus is named") {
    for (const Wrong& wrong : kWrong) {
      CAPTURE(std::string(wrong.body));
      const Json output = tools().judge(kept_problem(R"("iota")", 10), kept_kernel(wrong.body));
      CHECK(output["verdict"] == "incorrect");
      CHECK(output["mismatch"]["pattern_code"] == "missing_rows");
      const std::string said = output["summary"];
      CHECK_MESSAGE(said.find(wrong.message) != std::string::npos, said);
    }
  }

  TEST_CASE("a benchmark compares the rows, not their places") {
    const Json problem = kept_problem(kRange, 3000);
    const std::string id = tools().compiled(problem, kept_kernel(kRight));
    REQUIRE(tools().result("validate", {{"kernel_id", id}, {"level", "quick"}})["verdict"] ==
            "passed");
    const Json timed = tools().result("benchmark", {{"kernel_id", id}, {"baseline", "reference"}});
    const auto verdict = verdict_of(timed["verdict"].get<std::string>());
    REQUIRE(verdict.has_value());
    CHECK_MESSAGE(facts_of(*verdict).right_when_timed, timed["summary"]);
  }

  TEST_CASE("few rows that count have no wider bound than the output as a whole") {
    Json problem = Json::parse(R"json({
      "name": "first", "dims": {"n": {"values": [1000], "min": 1, "max": 5000}},
      "flops": "1000000 * n",
      "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
               {"name": "y", "type": "f32", "shape": ["n"], "role": "out",
                "unordered": {"count": "found"}},
               {"name": "found", "type": "i32", "shape": [1], "role": "out"}],
      "reference": {"kind": "kernel", "language": "cuda", "entry": "first"}})json");
    const auto source = [](const char* value) {
      return std::string("__global__ void first(const float* x, float* y, int* found, int n) {\n") +
             "  y[0] = " + value + ";\n  *found = 1;\n}\n";
    };
    const Json launches = {
        {{"entry", "first"}, {"grid", {1}}, {"block", {1}}, {"args", {"x", "y", "found", "n"}}}};
    problem["reference"]["source"] = source("x[0]");
    problem["reference"]["launches"] = launches;
    const auto verdict = [&](const char* value) {
      return tools().judge(
          problem,
          {{"name", "first"}, {"source", source(value)}, {"launches", launches}})["verdict"];
    };
    CHECK(verdict("x[0] * 1.0001f") == "passed");
    CHECK(verdict("x[0] * 1.002f") == "incorrect");
  }

  TEST_CASE("a reference that counts more rows than there is room for cannot judge") {
    Json problem = kept_problem(kRange, 100);
    problem["reference"]["source"] =
        "__global__ void kept(const int* x, int* y, int* found, int n) {\n"
        "  for (int i = 0; i < n; ++i) y[i] = x[i];\n  *found = n + 1;\n}\n";
    const Json output = tools().judge(problem, kept_kernel(kRight));
    CHECK(output["verdict"] == "invalid_reference");
    const std::string said = output["summary"];
    CHECK_MESSAGE(said.find("the problem's reference gave 101 rows of `y`, which has 100") !=
                      std::string::npos,
                  said);
  }

  TEST_CASE("a reference that counts rows which it has not written cannot judge") {
    Json problem = kept_problem(kRange, 100);
    problem["reference"]["source"] =
        "__global__ void kept(const int* x, int* y, int* found, int n) {\n"
        "  for (int i = 0; i < n; ++i)\n"
        "    if (x[i] % 3 == 0 && ++*found > 1) y[*found - 1] = x[i];\n}\n";
    const Json output = tools().judge(problem, kept_kernel(kRight));
    CHECK(output["verdict"] == "invalid_reference");
    CHECK(output["message"] ==
          "the problem's reference left elements of `y` unwritten that `found` counts in 5 draws");
  }

  TEST_CASE("pairs of a join pass in any order, their halves in two outputs") {
    Json problem = Json::parse(R"json({
      "name": "join",
      "dims": {"n": {"values": [60], "min": 1, "max": 200}},
      "args": [{"name": "a", "type": "i32", "shape": ["n"], "role": "in",
                "fill": {"kind": "range", "high": "4*n"}},
               {"name": "b", "type": "i32", "shape": ["n"], "role": "in",
                "fill": {"kind": "range", "high": "4*n"}},
               {"name": "left", "type": "i32", "shape": ["n*n"], "role": "out",
                "unordered": {"count": "found"}},
               {"name": "right", "type": "i32", "shape": ["n*n"], "role": "out",
                "unordered": {"count": "found", "with": "left"}},
               {"name": "found", "type": "i32", "shape": [1], "role": "inout", "fill": "zeros"}],
      "reference": {"kind": "kernel", "language": "cuda", "entry": "join"}})json");
    const Json launches = {{{"entry", "join"},
                            {"grid", {"cdiv(n, 64)"}},
                            {"block", {64}},
                            {"args", {"a", "b", "left", "right", "found", "n"}}}};
    const auto source = [](const char* place) {
      return std::string(
                 "__global__ void join(const int* a, const int* b, int* left, int* right, "
                 "int* found, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  for (int j = 0; i < n && j < n; ++j)\n    if (a[i] == b[j]) {\n") +
             place + "    }\n}\n";
    };
    problem["reference"]["source"] =
        source("      int p = atomicAdd(found, 1);\n      left[p] = i;\n      right[p] = j;\n");
    problem["reference"]["launches"] = launches;
    const auto kernel = [&](const char* place) {
      return Json{{"name", "join"}, {"source", source(place)}, {"launches", launches}};
    };
    const Json right = tools().judge(
        problem, kernel("      int p = atomicAdd(&found[0], 1);\n      right[p] = j;\n"
                        "      left[p] = i;\n"));
    CHECK_MESSAGE(right["verdict"] == "passed", right["summary"]);
    const Json torn = tools().judge(
        problem, kernel("      int p = atomicAdd(found, 1);\n      left[p] = i;\n"
                        "      right[p] = j == 7 ? j + 1 : j;\n      if (p == 0) right[0] = 0;\n"));
    CHECK(torn["verdict"] == "incorrect");
    CHECK(torn["worst"]["output"] == "left");
  }
}

}  // namespace ws::test
