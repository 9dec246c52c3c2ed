// The attention variants that come with the program: each target is its variant, and the recorded
// edits make the kernel what the target says.
#include <array>
#include <chrono>
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/lineage/workflow_script.h"
#include "tests/ir/program_bench.h"
#include "tests/ir/variants.h"
#include "tests/support/child.h"
#include "tests/support/golden.h"
#include "tests/support/lower_bench.h"

namespace ws::test {
namespace {

constexpr std::int64_t kKeys = ir::kVariantLength;
constexpr std::int64_t kWidth = 32;
constexpr double kScale = 0.17677669;

struct Recorded {
  const char* file;
  const char* variant;  ///< In tests/ir/variants.h.
};

constexpr std::array kRecorded = {
    Recorded{"relative-position", "relative position"},
    Recorded{"softcap", "softcap"},
    Recorded{"alibi", "ALiBi"},
    Recorded{"causal", "causal"},
    Recorded{"sliding-window", "sliding window"},
    Recorded{"prefix", "prefix"},
    Recorded{"global-window", "global window"},
    Recorded{"shared-question", "shared question"},
    Recorded{"causal-blockwise", "causal blockwise"},
    Recorded{"relu", "ReLU"},
    Recorded{"sigmoid", "sigmoid"},
    Recorded{"combo", "prefix, softcap and sigmoid"},
};

Workflow recorded(const std::string& name) {
  Result<Workflow> workflow = read_workflow(source_dir() / "examples/workflows/attention" / name);
  REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
  REQUIRE(workflow->steps.size() == 1);
  return *std::move(workflow);
}

const ir::Variant& variant_of(const std::string& name) {
  for (const ir::Variant& variant : ir::variants()) {
    if (variant.name == name) {
      return variant;
    }
  }
  FAIL("no such variant: ", name);
  return ir::variants().front();
}

/// One head, by plain loops.
std::vector<double> attend(const ir::Variant& variant, const std::vector<double>& q,
                           const std::vector<double>& k, const std::vector<double>& v) {
  const auto at = [](std::int64_t row, std::int64_t col) {
    return static_cast<std::size_t>(row * kWidth + col);
  };
  std::vector<double> result;
  for (std::int64_t i = 0; i < kKeys; ++i) {
    std::array<double, kWidth> sum{};
    double total = 0;
    for (std::int64_t j = 0; j < kKeys; ++j) {
      double dot = 0;
      for (std::int64_t c = 0; c < kWidth; ++c) {
        dot += q[at(i, c)] * k[at(j, c)];
      }
      const double score = variant.score(dot * kScale, i, j);
      const double weight = variant.weigh ? variant.weigh(score) : std::exp(score);
      total += weight;
      for (std::int64_t c = 0; c < kWidth; ++c) {
        sum[static_cast<std::size_t>(c)] += weight * v[at(j, c)];
      }
    }
    for (const double x : sum) {
      result.push_back(variant.weigh ? x : x / total);
    }
  }
  return result;
}

Json tried(const WorkflowStep& target, const WorkflowStep& edits) {
  return attention().lower(target.target_ir, edits.edits);
}

}  // namespace

TEST_SUITE("replay.attention") {
  TEST_CASE("each target computes its variant") {
    const ir::Shape shape = {1, kKeys, kWidth};
    const ir::Tensor q = ir::random_tensor("Q", DType::kF32, shape);
    const ir::Tensor k = ir::random_tensor("K", DType::kF32, shape);
    const ir::Tensor v = ir::random_tensor("V", DType::kF32, shape);
    ir::RunOptions options;
    options.schedules.resize(1);
    for (const Recorded& row : kRecorded) {
      CAPTURE(std::string(row.file));
      const std::string target = recorded(row.file).steps[0].target_ir;
      const ir::RunReport report =
          ir::run_text(target, {q, k, v, ir::output("O", DType::kF32, shape)}, options,
                       {{"scale", ir::Value::real(kScale)},
                        {"h", ir::Value::of(1)},
                        {"n", ir::Value::of(kKeys)}});
      CHECK(report.render(target) == "");
      REQUIRE(report.outputs.size() == 1);
      CHECK(ir::distance(report.outputs[0].data,
                         attend(variant_of(row.variant), q.data, k.data, v.data)) < 1e-9);
    }
  }

  TEST_CASE("each variant's edits make the kernel what its target says") {
    for (const Recorded& row : kRecorded) {
      CAPTURE(std::string(row.file));
      const WorkflowStep step = recorded(row.file).steps[0];
      const Json output = tried(step, step);
      CHECK_MESSAGE(output["verdict"] == "passed", output.value("reason", ""));
    }
  }

  TEST_CASE("another variant's edits do not") {
    for (const auto& [target, edits] :
         {std::pair{"causal", "prefix"}, std::pair{"alibi", "relative-position"},
          std::pair{"sigmoid", "relu"}}) {
      CAPTURE(std::string(target));
      const Json output = tried(recorded(target).steps[0], recorded(edits).steps[0]);
      CHECK(output["applied"] == false);
    }
  }

  TEST_CASE("a lowering is replayed by the command line") {
    const std::string path = source_dir() / "examples/workflows/attention/causal";
    Child child("warpsmith", {"replay", "--no-gpu", "--quick", "--json", path});
    const Json report = Json::parse(child.rest());
    CHECK(child.wait(std::chrono::seconds(10)) == 0);
    CHECK_MESSAGE(report["steps"].back()["verdict"] == "passed", report.value("failure", ""));
  }

  TEST_CASE("a lowering is exported as it was sent") {
    const Workflow workflow = recorded("causal");
    const Json made = tried(workflow.steps[0], workflow.steps[0]);
    REQUIRE(made["applied"] == true);
    const Json exported = tools().result(
        "workflow", {{"action", "export"}, {"ref", made["kernel_id"]}, {"detail", "full"}});
    const Json& step = exported["script"]["steps"][0];
    CHECK_FALSE(step.contains("transformation"));
    REQUIRE(step["target_ir"].is_array());
    CHECK(step["edits"].size() == 1);
    CHECK(step["edits"][0]["from"] == kScoreLine);
  }
}

}  // namespace ws::test
