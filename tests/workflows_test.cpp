// The workflows that come with the program still hold, on sizes that take little time.
#include <array>
#include <chrono>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/lineage/workflow_script.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/hip_here.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Recorded {
  const char* name;
  const char* dims;  // Small ones, in place of the problem's own.
  std::size_t transformations;
};

constexpr const char* kProductDims =
    R"({"m": {"values": [48], "min": 1, "max": 80}, "n": {"values": [48], "min": 1, "max": 80},
                 "k": {"values": [48], "min": 1, "max": 80}})";
constexpr const char* kHalfProductDims =
    R"({"m": {"values": [48], "min": 1, "max": 80}, "n": {"values": [48], "min": 1, "max": 80},
                 "k": {"values": [48], "min": 8, "max": 80, "multiple_of": 8}})";

constexpr std::array kRecorded = {
    Recorded{"softmax",
             R"({"rows": {"values": [16], "min": 1, "max": 40},
                 "cols": {"values": [100], "min": 1, "max": 200}})",
             4},
    Recorded{"layernorm",
             R"({"rows": {"values": [16], "min": 1, "max": 40},
                 "cols": {"values": [100], "min": 1, "max": 200}})",
             4},
    Recorded{"matmul-f32", kProductDims, 9},
    Recorded{"matmul-f16", kHalfProductDims, 9},
};

/// Those in HLSL.
constexpr std::array kRecordedShaders = {
    Recorded{"matmul-hlsl", kProductDims, 3},
    Recorded{"matmul-f16/hlsl", kHalfProductDims, 3},
};

std::string rest_of(const std::vector<std::string>& words, int& status) {
  Child child("warpsmith", words);
  std::string text = child.rest();
  status = child.wait(std::chrono::seconds(10)).value_or(-1);
  return text;
}

}  // namespace

TEST_SUITE("replay.workflows") {
  TEST_CASE("each recorded step is right, and the last kernel compiles for an AMD GPU, too") {
    for (const Recorded& recorded : kRecorded) {
      CAPTURE(recorded.name);
      Result<Workflow> workflow =
          read_workflow(source_dir() / "examples/workflows" / recorded.name);
      REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
      std::set<std::string> transformations;
      for (const WorkflowStep& step : workflow->steps) {
        transformations.insert(step.transformation);
      }
      transformations.erase("");
      CHECK(transformations.size() >= recorded.transformations);
      workflow->problem["dims"] = Json::parse(recorded.dims);
      workflow->timings.clear();
      const TestFolder folder;
      const std::string file = folder.path() / "workflow.json";
      REQUIRE(write_file(file, to_json(*workflow).dump()));
      const std::string data = folder.path() / "data";
      int status = -1;
      const Json report = Json::parse(
          rest_of({"replay", "--no-gpu", "--quick", "--json", "--data", data, file}, status));
      CHECK_MESSAGE(status == 0, report.value("failure", ""));
      const Json& last = report["steps"].back();  // These sizes may be too small to time here.
      CHECK(last.contains("total") != (last["verdict"] == "resolution_limited"));
      if (hiprtc_is_here()) {
        const Json asked = {{"kernel_id", report["kernel_id"]}, {"arch", "gfx90a"}};
        const Json compiled = Json::parse(
            rest_of({"call", "--no-gpu", "--data", data, "compile_kernel", asked.dump()}, status));
        CHECK_MESSAGE(compiled["verdict"] == "compiled", compiled["summary"]);
      }
    }
  }

  TEST_CASE("the recorded steps in HLSL hold on a device of Vulkan") {
    if (!lavapipe_is_here()) {
      return;
    }
    for (const Recorded& recorded : kRecordedShaders) {
      CAPTURE(recorded.name);
      Result<Workflow> workflow =
          read_workflow(source_dir() / "examples/workflows" / recorded.name);
      REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
      std::vector<std::string> transformations;
      std::size_t others = 0;  // By hand, or a search.
      for (const WorkflowStep& step : workflow->steps) {
        const std::string& name = step.transformation;
        others += name.empty() ? 1 : 0;
        if (!name.empty() && (transformations.empty() || transformations.back() != name)) {
          transformations.push_back(step.transformation);
        }
      }
      CHECK(transformations == std::vector<std::string>{"refactor", "tb-tiling", "thread-tiling"});
      workflow->problem["dims"] = Json::parse(recorded.dims);
      workflow->timings.clear();
      const TestFolder folder;
      const std::string file = folder.path() / "workflow.json";
      REQUIRE(write_file(file, to_json(*workflow).dump()));
      int status = -1;
      const Json report = Json::parse(rest_of({"replay", "--device", "vulkan:0", "--quick",
                                               "--json", "--data", folder.path() / "data", file},
                                              status));
      CHECK_MESSAGE(status == 0, report.value("failure", ""));
      CHECK(report["steps"].size() == 1 + recorded.transformations + others);
    }
  }
}

}  // namespace ws::test
