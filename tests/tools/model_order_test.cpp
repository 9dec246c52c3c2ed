// The order of kernels by the model of a GPU against the order that was measured on an H100. The
// kernels are the steps of recorded workflows, counted here, and examples.
#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "runtime/evaluate/modelled/software_run.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/lineage/workflow_script.h"
#include "runtime/profile/modelled_speedup.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

Json read(const std::string& path) {
  std::ifstream file(std::string(WS_SOURCE_DIR) + "/" + path);
  Json form = Json::parse(file, nullptr, false);
  REQUIRE_MESSAGE(!form.is_discarded(), path);
  return form;
}

/// The cost of a run that is counted: a fraction of a second each.
constexpr std::int64_t kCounted = 5'000'000;

/// Examples with more are left to tests/bench/model_examples.py.
constexpr std::int64_t kWhole = 100'000'000;

/// Microseconds by the model for the workload, from a run of one of at most that cost.
double modelled_us(const std::string& kernel_id, const Workload& asked,
                   std::int64_t counted = kCounted) {
  Services& services = tools().services();
  const auto subject = load_subject(*services.archive, kernel_id);
  REQUIRE(subject.has_value());
  ProfileQuestion question;
  question.params = subject->kernel.defaults;
  question.workload = asked;
  const auto smaller =
      shrink_below(subject->problem, subject->kernel, question.params, asked, counted);
  REQUIRE(smaller.has_value());
  question.workload = smaller->workload;
  question.shrunk_from = smaller->from;
  const auto device = services.device("cpu:0");
  REQUIRE(device.has_value());
  const auto run = run_in_software(*(*device)->backend, *subject, question, {});
  REQUIRE_MESSAGE(run.has_value(), to_text(run.error()));
  REQUIRE_MESSAGE(run->verdict == Verdict::kProfiled, run->message);
  return model_of(run->input).total_us;
}

struct Measured {
  std::string name;
  double us = 0;        ///< On an H100.
  double modelled = 0;  ///< By the model.
};

/// The call of compile_kernel for a step. What transformations declare is in the family's `adds`.
/// @param own  The kernel's params and defaults.
Json call_of(const WorkflowStep& step, const std::string& base, const Json& adds, Json& own) {
  Json asked = {{"base", base}, {"device", "cpu:0"}};
  if (!step.edits.empty()) {
    asked["edits"] = step.edits;
  }
  const Json set = step.set.is_null() ? Json::object() : step.set;
  if (!set.empty()) {
    asked["set"] = set;
  }
  for (const char* field : {"params", "defaults"}) {
    own[field] = set.value(field, own.value(field, Json::object()));
  }
  for (const auto& [name, value] : adds.items()) {
    own["params"][name] = Json::array({value});
    own["defaults"][name] = value;
  }
  if (!adds.empty()) {
    asked["set"].update(own);
  }
  return asked;
}

bool is_change(const WorkflowStep& step) {
  return step.tune.is_null() && (!step.set.empty() || !step.edits.empty());
}

/// The kernels of a family: those after some steps of a workflow.
std::vector<Measured> measured(const Json& family) {
  const std::string folder = family["workflow"];
  const auto workflow = read_workflow(std::string(WS_SOURCE_DIR) + "/" + folder);
  REQUIRE_MESSAGE(workflow.has_value(), to_text(workflow.error()));
  Workload asked;
  for (const auto& [dim, value] : family["workload"].items()) {
    asked.dims[dim] = value;
  }
  std::string id = tools().compiled(workflow->problem, workflow->kernel);
  Json own = Json::object();
  std::vector<Measured> rows;
  for (std::size_t i = 0; rows.size() < family["us"].size() && i < workflow->steps.size(); ++i) {
    const std::string number = std::to_string(i);
    if (const WorkflowStep& step = workflow->steps[i]; is_change(step)) {
      const Json made = tools().result(
          "compile_kernel", call_of(step, id, family["adds"].value(number, Json::object()), own));
      REQUIRE_MESSAGE(made["verdict"] == "compiled", made.dump());
      id = made["kernel_id"];
    }
    const auto us = family["us"].find(number);
    if (us != family["us"].end()) {
      rows.push_back({number, us->get<double>(), modelled_us(id, asked)});
    }
  }
  REQUIRE(rows.size() == family["us"].size());
  return rows;
}

/// The kernels of an example, timed on one workload; none where that is too large to be counted
/// here.
std::vector<Measured> measured_example(const Json& example) {
  const std::string folder = example["problem"];
  const Json problem = read(folder + "/problem.json");
  const auto parsed = parse_problem(problem.dump());
  REQUIRE_MESSAGE(parsed.has_value(), to_text(parsed.error()));
  Workload asked = expand_workloads(*parsed).value().front();  // For its scalars.
  for (const auto& [dim, value] : example["workload"].items()) {
    asked.dims[dim] = value;
  }
  std::vector<Measured> rows;
  for (const auto& [name, us] : example["us"].items()) {
    const std::string id = tools().compiled(problem, read(folder + "/" + name + ".json"));
    const auto subject = load_subject(*tools().services().archive, id);
    REQUIRE(subject.has_value());
    const auto whole =
        shrink_below(subject->problem, subject->kernel, subject->kernel.defaults, asked, kWhole);
    REQUIRE(whole.has_value());
    if (whole->from) {
      return {};
    }
    rows.push_back({name, us.get<double>(), modelled_us(id, asked, kWhole)});
  }
  return rows;
}

/// Checks each pair: the ratio is off by less than the model may be, and the slower one does not
/// come out faster by much.
void check_order(const std::vector<Measured>& rows) {
  constexpr double kWrongly = 2;
  for (const Measured& slower : rows) {
    for (const Measured& faster : rows) {
      if (slower.us <= faster.us) {
        continue;
      }
      CAPTURE(slower.name);
      CAPTURE(faster.name);
      CHECK_MESSAGE(faster.modelled < kWrongly * slower.modelled,
                    slower.modelled << " us, " << faster.modelled << " us");
      const double off = std::log(slower.modelled / faster.modelled / (slower.us / faster.us));
      CHECK_MESSAGE(std::fabs(off) < std::log(kModelError), std::exp(off));
    }
  }
}

}  // namespace

TEST_SUITE("tools.model_order") {
  TEST_CASE("a tile in shared memory is faster than the naive product, as on a GPU") {
    const Json problem = read("examples/kernels/matmul/problem.json");
    Workload asked;
    asked.dims = {{"m", 256}, {"n", 256}, {"k", 256}};
    const double naive =
        modelled_us(tools().compiled(problem, read("examples/kernels/matmul/naive.json")), asked);
    const double tiled =
        modelled_us(tools().compiled(problem, read("examples/kernels/matmul/tiled16.json")), asked);
    constexpr double kMeasured = 1.6;  // docs/measurements/0003-gpu-tools.md
    CHECK(naive / tiled > kMeasured / 1.5);
    CHECK(naive / tiled < kMeasured * 1.5);
  }

  TEST_CASE("what a GPU was slower with never comes out faster than the model may be off") {
    const Json record = read("tests/model/h100.json");
    for (const Json& family : record["families"]) {
      CAPTURE(family["name"].get<std::string>());
      check_order(measured(family));
    }
    std::size_t counted = 0;
    for (const Json& example : record["examples"]) {
      CAPTURE(example["problem"].get<std::string>());
      const std::vector<Measured> rows = measured_example(example);
      counted += rows.empty() ? 0 : 1;
      check_order(rows);
    }
    CHECK(counted >= 7);  // Each of the families on a listed workload.
  }
}

}  // namespace ws::test
