#include "runtime/curate/difficulty.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/base/files.h"
#include "runtime/curate/code_shape.h"
#include "runtime/curate/curate.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// y[n] from x[n], by this kernel.
Json sweep(const std::string& body, const Json& inputs = {"n"}) {
  return {{"name", "p"},
          {"dims", {{"n", {4096}}, {"k", {64}}}},
          {"args",
           {{{"name", "x"}, {"type", "f32"}, {"role", "in"}, {"shape", inputs}},
            {{"name", "y"}, {"type", "f32"}, {"role", "out"}, {"shape", {"n"}}}}},
          {"reference",
           {{"kind", "kernel"},
            {"language", "cuda"},
            {"entry", "r"},
            {"source", "__global__ void r(const float* x, float* y, int k, int n) {" + body + "}"},
            {"launches", Json::array()}}}};
}

Json with(Json form, const std::string& pointer, const Json& value) {
  form[Json::json_pointer(pointer)] = value;
  return form;
}

Json program(const std::string& source) {
  return with(sweep(""), "/reference", {{"kind", "python"}, {"source", source}});
}

Json product() {
  Json form = with(sweep("for (int i = 0; i < k; ++i) y[0] += x[i];", {"n", "k"}), "/args/2",
                   {{"name", "w"}, {"type", "f32"}, {"role", "in"}, {"shape", {"k", "n"}}});
  form["args"][1]["shape"] = {"n", "n"};
  return form;
}

Json launched(Json form, int times) {
  Json launches = Json::array();
  for (int i = 0; i < times; ++i) {
    launches.push_back(
        {{"entry", "r"}, {"grid", {"1"}}, {"block", {"1"}}, {"args", {"x", "y", "k", "n"}}});
  }
  form["reference"].erase("entry");
  return with(std::move(form), "/reference/launches", launches);
}

std::string level(const Json& form) {
  const Result<Problem> problem = problem_from_json(form);
  REQUIRE_MESSAGE(problem.has_value(), to_text(problem.error()));
  const Result<Difficulty> difficulty = difficulty_of(*problem);
  REQUIRE_MESSAGE(difficulty.has_value(), to_text(difficulty.error()));
  return std::to_string(difficulty->level) + ": " + difficulty->why;
}

struct ShapeCase {
  const char* name;
  const char* source;
  std::size_t passes;
  bool talks;
};

// clang-format off
constexpr ShapeCase kShapes[] = {
    {"nothing", "y[i] = x[i];", 0, false},
    {"a loop", "for (int i = 0; i < n; ++i) s += x[i];", 1, false},
    {"a loop in a loop", "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) { s += x[j]; }", 1, false},
    {"a loop after a loop", "for (int i = 0; i < n; ++i) { s += x[i]; } while (s > n) s -= 1;", 2, false},
    {"a loop in an if in a loop", "for (int i = 0; i < n; ++i) if (i) { for (int j = 0; j < n; ++j) s += 1; }", 1, false},
    {"a loop with a literal bound", "for (int i = 0; i < 4; ++i) s += x[i];", 0, false},
    {"a loop with a parameter", "for (int i = 0; i < @TILE@; ++i) s += x[i];", 1, false},
    {"a comment", "// for (int i = 0; i < n; ++i)\n", 0, false},
    {"a barrier", "__syncthreads();", 0, true},
    {"an atomic", "atomicAdd(y, 1.0f);", 0, true},
    {"brackets that do not close", "for (int i = 0; i < n; ++i { while ((", 1, false},
};
// clang-format on

}  // namespace

TEST_SUITE("curate.difficulty") {
  TEST_CASE("the shape of code is its outer loops and what threads say to each other") {
    for (const ShapeCase& c : kShapes) {
      CAPTURE(std::string(c.name));
      const CodeShape shape = shape_of_kernel(c.source);
      CHECK(shape.passes == c.passes);
      CHECK(shape.talks == c.talks);
    }
  }

  TEST_CASE("each level has its rule, and says why") {
    CHECK(level(with(sweep("y[0] = 1;"), "/args/0", sweep("")["args"][1])
                    .patch(Json::parse(R"([{"op":"remove","path":"/args/0"}])"))) == "0: no input");
    CHECK(level(with(sweep("y[0] = x[0];"), "/dims/n", {16})) == "0: touches 32 elements at most");
    CHECK(level(sweep("y[0] = x[0];")) == "1: each number for itself");
    CHECK(level(sweep("for (int i = 0; i < k; ++i) y[0] += x[i];")) == "2: 1 pass");
    CHECK(level(sweep("y[0] = __shfl_sync(1, x[0], 0);")) == "2: threads exchange values");
    CHECK(level(sweep("y[0] = x[0] + x[1];", {"n", "k"})) ==
          "2: reads 64 numbers for each that it writes");
    CHECK(level(product()) == "3: inputs are multiplied over a dim");
    CHECK(level(with(sweep("y[0] = x[0];"), "/flops", "n*100")) ==
          "3: 50 operations for each element");
    CHECK(level(launched(sweep("y[0] = x[0];"), 2)) == "4: 2 launches");
    CHECK(level(launched(product(), 3)) == "5: a product within 3 launches");
    CHECK(level(with(sweep("for (; k < n;) {} for (; k < n;) {}"), "/flops", "n*100")) ==
          "5: a product within 2 passes");
  }

  TEST_CASE("a program is judged by the operations that it names") {
    CHECK(level(program("def reference(i, d):\n    return {'y': i['x'] + 1}")) ==
          "1: each number for itself");
    CHECK(level(program("def reference(i, d):\n    return {'y': i['x'].sum(0)}")) == "2: 1 pass");
    CHECK(level(program("def reference(i, d):\n    return {'y': i['x'] @ i['x']}")) ==
          "3: inputs are multiplied over a dim");
    CHECK(level(program("def reference(i, d):\n    s = softmax(q @ k)\n    return {'y': s @ v}")) ==
          "5: a product within 3 passes");
  }

  TEST_CASE("the examples have the levels that they declare") {
    const auto folder = read_problem_folder(std::string(WS_SOURCE_DIR) + "/examples/kernels");
    REQUIRE(folder.has_value());
    CHECK(folder->problems.size() >= 8);
    for (const ProblemFile& file : folder->problems) {
      CAPTURE(file.path);
      REQUIRE(difficulty_of(file.problem).has_value());
      CHECK(difficulty_of(file.problem)->level == file.problem.difficulty.value_or(-1));
    }
  }
}

}  // namespace ws
