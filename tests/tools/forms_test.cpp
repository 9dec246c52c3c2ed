// The forms of problems and plans, run to the end: strides, scalars, symbols, scratch, repeats.
#include <doctest/doctest.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// A problem over one dim; `launch` is the reference's only launch, its entry `reference`.
Json problem_of(const char* args, const std::string& source, const Json& arguments) {
  Json problem = {{"name", "form"},
                  {"dims", {{"n", {{"values", {100}}, {"min", 1}, {"max", 300}}}}}};
  problem["args"] = Json::parse(args);
  problem["reference"] = {{"kind", "kernel"},
                          {"language", "cuda"},
                          {"source", source},
                          {"launches",
                           {{{"entry", "reference"},
                             {"grid", {"cdiv(n, 64)"}},
                             {"block", {"64"}},
                             {"args", arguments}}}}};
  problem["reference"]["entry"] = "reference";
  return problem;
}

/// The reference as a kernel, with one text replaced in its source.
Json kernel_like(const Json& problem, const std::string& from = {}, const std::string& to = {}) {
  std::string source = problem["reference"]["source"];
  if (!from.empty()) {
    REQUIRE(source.find(from) != std::string::npos);
    source.replace(source.find(from), from.size(), to);
  }
  return {{"name", "k"},
          {"language", "cuda"},
          {"source", source},
          {"launches", problem["reference"]["launches"]}};
}

constexpr const char* kInout = R"([
  {"name": "x", "type": "f32", "shape": ["n"], "role": "inout"}])";
constexpr const char* kStrided = R"([
  {"name": "x", "type": "f32", "shape": ["n", "4"], "strides": ["6", "1"], "role": "in"},
  {"name": "y", "type": "f32", "shape": ["n", "4"], "strides": ["6", "1"], "role": "out"}])";
constexpr const char* kStridedInout = R"([
  {"name": "y", "type": "f32", "shape": ["n", "4"], "strides": ["6", "1"], "role": "inout"}])";
constexpr const char* kScalars = R"([
  {"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
  {"name": "y", "type": "f32", "shape": ["n"], "role": "out"},
  {"name": "alpha", "type": "f32", "role": "scalar", "values": [1.0, 0.5]},
  {"name": "shift", "type": "i32", "role": "scalar", "values": [0, 3]}])";

const Json kXyn = Json::array({"x", "y", "n"});

Json inout_problem() {
  return problem_of(kInout,
                    "__global__ void reference(float* x, int n) {\n  int i = blockIdx.x * 64 + "
                    "threadIdx.x;\n  if (i < n) x[i] = 3 * x[i] + 1;\n}\n",
                    Json::array({"x", "n"}));
}

Json strided_problem() {
  return problem_of(
      kStrided,
      "__global__ void reference(const float* x, float* y, int n) {\n  int i = "
      "blockIdx.x * 64 + threadIdx.x;\n  if (i < n) for (int j = 0; j < 4; ++j) y[6 * i "
      "+ j] = 2 * x[6 * i + j];\n}\n",
      kXyn);
}

}  // namespace

TEST_SUITE("tools.forms") {
  TEST_CASE("an inout argument starts from its fill in each run") {
    const Json problem = inout_problem();
    const Json right = tools().judge(problem, kernel_like(problem), "standard");
    CHECK_MESSAGE(right["verdict"] == "passed", right["summary"]);
    const Json wrong = tools().judge(problem, kernel_like(problem, "+ 1", "+ 2"));
    CHECK(wrong["verdict"] == "incorrect");
    CHECK(wrong["mismatch"]["count"] == 100);
  }

  TEST_CASE("the gaps of strides must stay as they are") {
    const Json problem = strided_problem();
    CHECK(tools().judge(problem, kernel_like(problem))["verdict"] == "passed");
    const Json wrong = tools().judge(
        problem, kernel_like(problem, "if (i < n)", "if (i < n - 1) y[6 * i + 4] = 1; if (i < n)"));
    CHECK(wrong["verdict"] == "out_of_bounds");
    CHECK(wrong["message"] == "output `y`: the gap before element 4 of its strides was written");
  }

  TEST_CASE("the gaps of an inout argument are watched too") {
    const Json problem = problem_of(kStridedInout,
                                    "__global__ void reference(float* y, int n) {\n  int i = "
                                    "blockIdx.x * 64 + threadIdx.x;\n  if "
                                    "(i < n) for (int j = 0; j < 4; ++j) y[6 * i + j] *= 2;\n}\n",
                                    Json::array({"y", "n"}));
    CHECK(tools().judge(problem, kernel_like(problem))["verdict"] == "passed");
    const Json wrong = tools().judge(
        problem, kernel_like(problem, "if (i < n)", "if (i < n - 1) y[6 * i + 5] = 1; if (i < n)"));
    CHECK(wrong["verdict"] == "out_of_bounds");
    CHECK(wrong["message"] == "output `y`: the gap before element 5 of its strides was written");
  }

  TEST_CASE("each value of a scalar is a workload of its own") {
    const Json problem = problem_of(
        kScalars,
        "__global__ void reference(const float* x, float* y, int n, float alpha, int shift) {\n  "
        "int "
        "i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = alpha * x[(i + shift) % n];\n}\n",
        Json::array({"x", "y", "n", "alpha", "shift"}));
    const Json right =
        tools().result("validate", {{"kernel_id", tools().compiled(problem, kernel_like(problem))},
                                    {"level", "standard"},
                                    {"detail", "full"}});
    REQUIRE(right["verdict"] == "passed");
    CHECK(right["coverage"]["declared"] == 4);
    Json seen = Json::array();
    for (const Json& run : right["runs"]) {
      const Json& workload = run["workload"];
      if (workload["n"] == 100 && run["distribution"] == right["runs"][0]["distribution"]) {
        seen.push_back(workload);
      }
    }
    CHECK(seen ==
          Json::parse(R"([{"alpha": 1, "n": 100, "shift": 0}, {"alpha": 1, "n": 100, "shift": 3},
                                  {"alpha": 0.5, "n": 100, "shift": 0}, {"alpha": 0.5, "n": 100, "shift": 3}])"));
    const Json wrong = tools().judge(problem, kernel_like(problem, "i + shift", "i"), "standard");
    CHECK(wrong["verdict"] == "incorrect");
    CHECK(wrong["worst"]["workload"]["shift"] == 3);
  }

  TEST_CASE("a constant symbol is filled from its argument before each launch") {
    Json kernel = with_source(
        "__constant__ int c[4096];\n__global__ void k(int* y, int n) {\n  int i = blockIdx.x * 64 "
        "+ "
        "threadIdx.x;\n  if (i < n) y[i] = 2 * c[i];\n}\n");
    kernel["launches"][0]["args"] = {"y", "n"};
    kernel["symbols"] = {{{"name", "c"}, {"of", "x"}}};
    CHECK(tools().judge(twice_problem(), kernel, "standard")["verdict"] == "passed");
  }

  TEST_CASE("scratch carries values from launch to launch, and repeats have their own variable") {
    Json kernel = with_source(
        "__global__ void first(const int* x, int* t, int n) {\n  int i = blockIdx.x * 64 + "
        "threadIdx.x;\n  if (i < n) t[i] = x[i];\n}\n__global__ void add(int* t, int n, int s) {\n "
        " "
        "int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) t[i] += s;\n}\n__global__ void "
        "last(const int* x, const int* t, int* y, int n) {\n  int i = blockIdx.x * 64 + "
        "threadIdx.x;\n  if (i < n) y[i] = t[i] - 6 + x[i];\n}\n");
    const Json size = {{"grid", {"cdiv(n, 64)"}}, {"block", {"64"}}};
    Json launches = Json::array({size, size, size});
    launches[0].update({{"entry", "first"}, {"args", {"x", "t", "n"}}});
    launches[1].update(
        {{"entry", "add"}, {"args", {"t", "n", "s"}}, {"repeat", {{"var", "s"}, {"count", "4"}}}});
    launches[2].update({{"entry", "last"}, {"args", {"x", "t", "y", "n"}}});
    kernel["launches"] = launches;
    kernel["scratch"] = {{{"name", "t"}, {"type", "i32"}, {"shape", {"n"}}}};
    const Json output = tools().judge(twice_problem(), kernel, "standard");
    CHECK_MESSAGE(output["verdict"] == "passed", output["summary"]);  // 0 + 1 + 2 + 3 = 6
  }

  TEST_CASE("parameters are put in where they are named, and each choice is judged") {
    Json kernel = good_kernel();
    std::string source = kernel["source"];
    source.replace(source.find("2 *"), 3, "@FACTOR@ *");
    kernel["source"] = source;
    kernel["launches"][0]["grid"] = {"cdiv(n, BLOCK)"};
    kernel["launches"][0]["block"] = {"BLOCK"};
    kernel["params"] = {{"BLOCK", {32, 64, 128}}, {"FACTOR", {2, 3}}};
    kernel["defaults"] = {{"BLOCK", 64}, {"FACTOR", 2}};
    const std::string id = tools().compiled(twice_problem(), kernel);
    CHECK(tools().result("validate", {{"kernel_id", id}})["verdict"] == "passed");
    const Json wide = tools().result("validate", {{"kernel_id", id}, {"params", {{"BLOCK", 128}}}});
    CHECK(wide["verdict"] == "passed");
    CHECK(wide["runs"][0]["params"] == Json({{"BLOCK", 128}, {"FACTOR", 2}}));
    const Json wrong = tools().result("validate", {{"kernel_id", id}, {"params", {{"FACTOR", 3}}}});
    CHECK(wrong["verdict"] == "incorrect");
    const Json samples = tools().result("validate", {{"kernel_id", id}, {"param_samples", 8}});
    CHECK(samples["verdict"] == "incorrect");
    CHECK(samples["runs"].back()["params"]["FACTOR"] == 3);
  }

  struct NoPoint {
    const char* name;
    std::int64_t block;
    const char* verdict;
    const char* message;
  };

  TEST_CASE("sampled parameters that cannot run are left out, those that were asked for are not") {
    const NoPoint points[] = {
        {"no room on the device", 2048, "resource_limit",
         "launches[0]: a block of 2048x1x1 threads; the device allows 1024 (at most 64 in z)"},
        {"refused by the kernel", 96, "unsupported",
         "static assertion failed due to requirement '96 % 64 == 0': ws_invalid: 64 or more"},
    };
    for (const NoPoint& point : points) {
      CAPTURE(point.name);
      Json kernel = good_kernel();
      kernel["source"] = "static_assert(@BLOCK@ % 64 == 0, \"ws_invalid: 64 or more\");\n" +
                         kernel["source"].get<std::string>();
      kernel["launches"][0]["grid"] = {"cdiv(n, BLOCK)"};
      kernel["launches"][0]["block"] = {"BLOCK"};
      kernel["params"] = {{"BLOCK", {64, point.block}}};
      kernel["defaults"] = {{"BLOCK", 64}};
      const std::string id = tools().compiled(twice_problem(), kernel);
      const Json samples = tools().result("validate", {{"kernel_id", id}, {"param_samples", 8}});
      CHECK(samples["verdict"] == "passed");
      CHECK(samples["coverage"]["samples_left_out"] == 1);
      CHECK(samples["runs"].back()["params"]["BLOCK"] == 64);
      const Json asked =
          tools().result("validate", {{"kernel_id", id}, {"params", {{"BLOCK", point.block}}}});
      CHECK(asked["verdict"] == point.verdict);
      CHECK(asked["message"] == point.message);
    }
  }

  TEST_CASE("a changed copy remembers its parent, and the same content has the same id") {
    const std::string base = tools().compiled(twice_problem(), good_kernel());
    const Json edited =
        tools().result("compile_kernel", {{"base", base},
                                          {"edits",
                                           {{{"op", "replace"},
                                             {"from", 3},
                                             {"old", "  if (i < n) y[i] = 2 * x[i];"},
                                             {"text", "  if (i < n) y[i] = x[i] << 1;"}}}},
                                          {"ref", "twice@main"}});
    CHECK(edited["verdict"] == "compiled");
    CHECK(edited["parent"] == base);
    const Json whole = tools().result(
        "compile_kernel",
        {{"problem", twice_problem()}, {"kernel", twice_kernel("  if (i < n) y[i] = x[i] << 1;")}});
    CHECK(whole["kernel_id"] == edited["kernel_id"]);
    CHECK(tools().result("validate", {{"kernel_id", "twice@main"}})["kernel_id"] ==
          edited["kernel_id"]);
  }
}

}  // namespace ws::test
