// Textures from the form to the verdict on the CPU engine; the kernel is that of the documentation.
#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// An image twice as large in each direction, between the four nearest texels.
Json resize_problem() {
  Json problem = Json::parse(R"json({
    "name": "resize",
    "dims": {"w": {"values": [37], "min": 1, "max": 64}, "h": {"values": [20], "min": 1, "max": 64}},
    "args": [{"name": "x", "type": "f32", "shape": ["h", "w"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["2 * h", "2 * w"], "role": "out"}],
    "tolerance": {"rtol": 1e-5, "atol": 1e-5},
    "reference": {"kind": "kernel", "language": "cuda", "entry": "resize",
                  "launches": [{"entry": "resize", "grid": ["cdiv(4 * w * h, 64)"], "block": [64],
                                "args": ["x", "y", "w", "h"]}]}})json");
  problem["reference"]["source"] =
      "__device__ acc_t along(const float* x, int w, int row, acc_t at) {\n"
      "  int left = (int)floor(at);\n  acc_t share = at - left;\n"
      "  int first = max(left, 0), second = min(left + 1, w - 1);\n"
      "  return (1 - share) * x[row * w + first] + share * x[row * w + second];\n}\n"
      "__global__ void resize(const float* x, float* y, int w, int h) {\n"
      "  int k = blockIdx.x * 64 + threadIdx.x;\n  if (k >= 4 * w * h) return;\n"
      "  acc_t u = k % (2 * w) / (acc_t)2 - 0.25, v = k / (2 * w) / (acc_t)2 - 0.25;\n"
      "  int up = (int)floor(v);\n  acc_t share = v - up;\n"
      "  y[k] = (1 - share) * along(x, w, max(up, 0), u) +\n"
      "         share * along(x, w, min(up + 1, h - 1), u);\n}\n";
  return problem;
}

/// The example of docs/problem-and-kernel.md.
Json documented_kernel() {
  const auto page = read_file(source_dir() / "docs/problem-and-kernel.md");
  REQUIRE(page.has_value());
  const std::string fence = "```json\n";
  const std::size_t section = page->find("## Textures");
  REQUIRE(section != std::string::npos);
  const std::size_t begin = page->find(fence, section) + fence.size();
  return Json::parse(page->substr(begin, page->find("```", begin) - begin));
}

Json& texture_of(Json& kernel) {
  return kernel["launches"][0]["args"][0];
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_SUITE("tools.textures") {
  TEST_CASE("the documented kernel resizes an image, at every size, also as the child of another") {
    const Json problem = resize_problem();
    const Json right = tools().judge(problem, documented_kernel(), "standard");
    CHECK_MESSAGE(right["verdict"] == "passed", right["summary"]);
    const std::string parent = tools().compiled(problem, documented_kernel());
    const Json child =
        tools().result("compile_kernel", {{"base", parent}, {"set", {{"options", {"-DN=1"}}}}});
    CHECK(child["verdict"] == "compiled");
    const Json judged = tools().result("validate", {{"kernel_id", child["kernel_id"]}});
    CHECK_MESSAGE(judged["verdict"] == "passed", judged["summary"]);
  }

  TEST_CASE("a wrong filter, a wrong address mode and a missing half texel give other results") {
    const Json problem = resize_problem();
    Json point = documented_kernel();
    texture_of(point)["filter"] = "point";
    CHECK(tools().judge(problem, point)["verdict"] == "incorrect");
    Json border = documented_kernel();
    texture_of(border)["address"] = "border";
    CHECK(tools().judge(problem, border)["verdict"] == "incorrect");
    Json shifted = documented_kernel();
    shifted["source"] = replaced(shifted["source"], "(i + 0.5f) / 2", "i / 2.0f");
    CHECK(tools().judge(problem, shifted)["verdict"] == "incorrect");
  }

  TEST_CASE("normalized coordinates, and scratch that an earlier launch wrote") {
    const Json problem = resize_problem();
    Json normalized = documented_kernel();
    texture_of(normalized)["normalized"] = true;
    normalized["source"] =
        replaced(replaced(normalized["source"], "(i + 0.5f) / 2", "(i + 0.5f) / (2 * w)"),
                 "(j + 0.5f) / 2", "(j + 0.5f) / (2 * h)");
    // Normalized coordinates are not exact: a share may be the next one.
    Json loose = problem;
    loose["tolerance"] = {{"rtol", 0.02}, {"atol", 0.05}};
    CHECK(tools().judge(loose, normalized)["verdict"] == "passed");
    Json copied = documented_kernel();
    copied["source"] = copied["source"].get<std::string>() +
                       "__global__ void copy(const float* x, float* z, int n) {\n"
                       "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) z[i] = x[i];\n}\n";
    copied["scratch"] = {{{"name", "z"}, {"type", "f32"}, {"shape", {"h", "w"}}}};
    texture_of(copied)["texture"] = "z";
    copied["launches"].insert(copied["launches"].begin(),
                              Json{{"entry", "copy"},
                                   {"grid", {"cdiv(w * h, 64)"}},
                                   {"block", {64}},
                                   {"args", {"x", "z", {{"value", "w * h"}, {"type", "i32"}}}}});
    const Json output = tools().judge(problem, copied, "standard");
    CHECK_MESSAGE(output["verdict"] == "passed", output["summary"]);
  }

  TEST_CASE("a texture beyond its buffer is refused before anything runs") {
    Json kernel = documented_kernel();
    texture_of(kernel)["height"] = "h + 1";
    CHECK(tools().refusal("compile_kernel", {{"problem", resize_problem()}, {"kernel", kernel}}) ==
          "invalid_argument: launches[0].args[0]: the texture has 777 elements, and `x` has 740");
  }
}

}  // namespace ws::test
