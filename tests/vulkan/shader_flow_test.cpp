// The way of a shader to a faster one: searched for, changed by transformations, tuned, evaluated.
#include <set>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/vulkan/doubling.h"

namespace ws::test {
namespace {

/// y = 2 x, after as many useless turns as the parameter says: few are fast. With 3 the shader
/// refuses itself, with 5 it does not compile, with 6 it writes outside, with 7 it is wrong, with 8
/// it asks for more threads than there are.
Json planted_shader() {
  Json kernel = shader(std::string(kHead) + R"(#define WORK @WORK@
#if WORK == 3
#error ws_invalid: three is odd here
#endif
#if WORK == 8
#define THREADS 4096
#else
#define THREADS 64
#endif
[numthreads(THREADS, 1, 1)] void k(uint3 id : SV_DispatchThreadID) {
#if WORK == 5
  this_is_not_declared();
#endif
  float sum = 0;
  for (uint r = 0; r < WORK; ++r) sum += x[(id.x + r) % n];
  if (id.x < n) y[id.x] = sum > 1e30 ? 0 : (WORK == 7 ? 3 : 2) * x[id.x];
  if (WORK == 6 && id.x == 0) y[n + 4000] = 1;
}
)");
  kernel["launches"][0]["block"] = {"64 if WORK != 8 else 4096"};
  kernel["params"] = {{"WORK", {4000, 1, 3, 5, 6, 7, 8, 20000}}};
  kernel["defaults"] = {{"WORK", 4000}};
  return kernel;
}

/// Makes each step that stands there as it is.
void make_steps(const Json& answer) {
  for (const Json& step : answer["next_steps"]) {
    CAPTURE(step.dump());
    if (step.contains("arguments") && !step["arguments"].dump().ends_with("...\"}")) {
      CHECK(shader_tools().call(step["tool"], step["arguments"]).has_value());
    }
  }
}

Json shader_example(const std::string& name) {
  return Json::parse(read_file(source_dir() / "examples/hlsl" / (name + ".json")).value());
}

Json matmul_problem() {
  return Json::parse(read_file(source_dir() / "examples/kernels/matmul/problem.json").value());
}

}  // namespace

TEST_SUITE("tools.vulkan.flow") {
  TEST_CASE("the planted best of a shader's parameters is found, and what is wrong is left out") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), planted_shader());
    const Json result = shader_tools().result(
        "tune", {{"kernel_id", id}, {"budget_s", 60}, {"strategy", "exhaustive"}});
    CAPTURE(result.dump());
    CHECK((result["verdict"] == "faster" || result["verdict"] == "inconclusive"));
    CHECK(result["ended_by"] == "exhausted");
    CHECK(result["best_params"]["WORK"] == 1);
    CHECK(result["pruned_by"] == Json{{"constraints", 0}, {"device", 1}, {"kernel", 1}});
    std::set<std::string> verdicts;
    for (const Json& failure : result["failures"]) {
      verdicts.insert(failure["verdict"]);
    }
    CHECK(verdicts.contains("compile_error"));
    CHECK(result["validation"]["verdict"] == "passed");
    CHECK(result["emulated"] == true);
    make_steps(result);
  }

  TEST_CASE("a shader is evaluated against the one that it was made from") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().compiled(doubling_problem(), planted_shader());
    const Json result = shader_tools().result("evaluate", {{"base", id},
                                                           {"set", {{"defaults", {{"WORK", 1}}}}},
                                                           {"baseline", "root"},
                                                           {"device", "vulkan:0"}});
    CAPTURE(result.dump());
    CHECK(result["correct"] == true);
    CHECK(result["benchmark"]["baseline"] == id);
    CHECK(result["compile"]["verdict"] == "compiled");
    CHECK(result["validation"]["verdict"] == "passed");
    CHECK(result["speedup"] == result["benchmark"]["ratio"]);
    CHECK(result["emulated"] == true);
    make_steps(result);
  }

  TEST_CASE("a shader that is wrong has no speed and no reward") {
    if (!lavapipe_is_here()) {
      return;
    }
    const Json result = shader_tools().result(
        "evaluate", {{"problem", doubling_problem()},
                     {"kernel", shader(doubling("if (id.x < n) y[id.x] = 3 * x[id.x];"))},
                     {"baseline", "root"}});
    CHECK(result["verdict"] == "incorrect");
    CHECK(result["correct"] == false);
    CHECK_FALSE(result.contains("benchmark"));
  }

  TEST_CASE("a shader is told the transformations of its language, in its words") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id =
        shader_tools().compiled(matmul_problem(), shader_example("matmul/naive"));
    const Json list = shader_tools().result("apply_transformation", {{"kernel_id", id}});
    CAPTURE(list.dump());
    std::set<std::string> named;
    for (const Json& row : list["transformations"]) {
      named.insert(row["name"]);
    }
    CHECK(named.contains("refactor"));
    CHECK(named.contains("tb-tiling"));
    CHECK_FALSE(named.contains("wgmma"));
    const Json told = shader_tools().result("apply_transformation",
                                            {{"kernel_id", id}, {"transformation", "tb-tiling"}});
    CHECK(told["instruction"].get<std::string>().find("[numthreads(BN, BM, 1)]") !=
          std::string::npos);
    make_steps(told);
  }

  TEST_CASE("the edits that are proposed for a shader hold") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id =
        shader_tools().compiled(matmul_problem(), shader_example("matmul/thread_tiled"));
    for (const char* transformation : {"offset", "loop-unroll"}) {
      CAPTURE(transformation);
      Json asked = {{"kernel_id", id}, {"transformation", transformation}};
      const Json told = shader_tools().result("apply_transformation", asked);
      CAPTURE(told.dump());
      REQUIRE(told.contains("proposal"));
      asked.update(told["proposal"]);
      const Json made = shader_tools().result("apply_transformation", asked);
      CAPTURE(made.dump());
      CHECK(made["applied"] == true);
      CHECK(made["validation"]["verdict"] == "passed");
    }
  }

  TEST_CASE("helper files in CUDA are not for shaders") {
    if (!lavapipe_is_here()) {
      return;
    }
    const Json problem =
        Json::parse(read_file(source_dir() / "examples/kernels/softmax/problem.json").value());
    const std::string id =
        shader_tools().compiled(problem, shader_example("softmax/row_per_group"));
    const Json told = shader_tools().result(
        "apply_transformation", {{"kernel_id", id}, {"transformation", "shuffle-reduction"}});
    CHECK(told["imports"] == Json::array());
    CHECK(told["instruction"].get<std::string>().find("`WaveActiveSum(v)`") != std::string::npos);
  }

  TEST_CASE("an edit that makes a shader wrong is a failed try, and the kernel stays") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id =
        shader_tools().compiled(matmul_problem(), shader_example("matmul/naive"));
    const Json told = shader_tools().result("apply_transformation",
                                            {{"kernel_id", id}, {"transformation", "refactor"}});
    CAPTURE(told.dump());
    const Json& block = told["editable"].back();
    std::string text;
    for (const Json& line : block["lines"]) {
      text += line["text"].get<std::string>() + "\n";
    }
    text.replace(text.find("sum +="), 6, "sum -=");
    const Json made = shader_tools().result("apply_transformation", {{"kernel_id", id},
                                                                     {"transformation", "refactor"},
                                                                     {"edits",
                                                                      {{{"op", "replace"},
                                                                        {"from", block["from"]},
                                                                        {"to", block["to"]},
                                                                        {"expect", block["expect"]},
                                                                        {"text", text}}}}});
    CAPTURE(made.dump());
    CHECK(made["applied"] == false);
    CHECK(made["validation"]["verdict"] == "incorrect");
    make_steps(made);
  }

  TEST_CASE("a shader that passed is found by its words and by its code") {
    if (!lavapipe_is_here()) {
      return;
    }
    ToolBench own(ToolBench::WithVulkan{lavapipe_driver()});
    const Json judged = own.judge(
        doubling_problem(),
        shader(doubling("uint quokkaPlace = id.x; if (quokkaPlace < n) y[quokkaPlace] = 2 * "
                        "x[quokkaPlace];")));
    REQUIRE(judged["verdict"] == "passed");
    const std::string id = judged["kernel_id"];
    for (const Json& asked :
         {Json{{"query", "quokkaPlace"}},
          Json{{"like", doubling("uint at = id.x; if (at < n) y[at] = 2 * x[at];")}},
          Json{{"query", "doubling"}, {"device", "vulkan:0"}}}) {
      CAPTURE(asked.dump());
      const Json found = own.result("search_prior_kernels", asked);
      CAPTURE(found.dump());
      REQUIRE(found["hits"].size() >= 1);
      CHECK(found["hits"][0]["kernel_id"] == id);
    }
  }

  TEST_CASE("the steps of a shader are exported as a workflow, and not as a file in CUDA") {
    if (!lavapipe_is_here()) {
      return;
    }
    const std::string id = shader_tools().judge(
        doubling_problem(), shader(doubling("if (id.x < n) y[id.x] = x[id.x] * 2;")))["kernel_id"];
    const Json exported =
        shader_tools().result("workflow", {{"action", "export"}, {"ref", id}, {"detail", "full"}});
    CHECK(exported["script"]["kernel"]["language"] == "hlsl");
    CHECK(shader_tools().refusal("workflow", {{"action", "export"}, {"ref", id}, {"as", "cuda"}}) ==
          "unsupported: " + id + " is in HLSL, and this form takes CUDA C++ only");
    CHECK(shader_tools().refusal("workflow", {{"action", "export"}, {"ref", id}, {"as", "cupy"}}) ==
          "unsupported: " + id + " is in the language hlsl, and CuPy compiles CUDA C++ only");
  }
}

}  // namespace ws::test
