// The examples in HLSL and GLSL on lavapipe, judged by the references in CUDA on the CPU engine.
#include <algorithm>
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "tests/support/golden.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

namespace fs = std::filesystem;

Json read_shader_json(const fs::path& path) {
  return Json::parse(read_file(path).value());
}

}  // namespace

TEST_SUITE("tools.vulkan.examples") {
  TEST_CASE("each example is right on lavapipe, and the broken ones are not") {
    if (!lavapipe_is_here()) {
      return;
    }
    std::set<std::string> seen;
    for (const auto& folder : fs::directory_iterator(source_dir() / "examples/hlsl")) {
      const std::string problem_name = folder.path().filename();
      const Json problem =
          read_shader_json(source_dir() / "examples/kernels" / problem_name / "problem.json");
      for (const auto& file : fs::directory_iterator(folder)) {
        const Json kernel = read_shader_json(file.path());
        const std::string name = kernel["name"];
        CAPTURE(problem_name);
        CAPTURE(name);
        seen.insert(problem_name + "/" + name);
        const Json verdict = shader_tools().judge(problem, kernel);
        CHECK(verdict["summary"] != "");
        CHECK(verdict["verdict"] == (name.starts_with("broken_") ? "out_of_bounds" : "passed"));
      }
    }
    CHECK(seen.size() >= 10);
  }
}

}  // namespace ws::test
