#include "tests/support/tool_bench.h"

#include <doctest/doctest.h>

#include "runtime/compile/glslang/plugin.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/step_check.h"
#include "tools/kernels/archive_resources.h"

namespace ws::test {
namespace {

constexpr const char* kHead = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

Json plan_of(const std::string& entry) {
  return {
      {{"entry", entry}, {"grid", {"cdiv(n, 64)"}}, {"block", {"64"}}, {"args", {"x", "y", "n"}}}};
}

/// The arguments, with a long wait where they say none: under sanitizers some work takes minutes.
Json patient(const ToolRegistry& registry, const std::string& tool, Json arguments) {
  const ToolRegistry::Entry* entry = registry.find(tool);
  REQUIRE(entry != nullptr);
  const Json& fields = entry->tool->spec().json["inputSchema"]["properties"];
  if (fields.contains("wait_ms") && !arguments.contains("wait_ms")) {
    arguments["wait_ms"] = 600'000;
  }
  return arguments;
}

}  // namespace

ToolBench::ToolBench(int fake_gpus, std::string sanitizer)
    : fake_gpus_(fake_gpus),
      sanitizer_(std::move(sanitizer)) {
  restart();
}

ToolBench::ToolBench(WithVulkan vulkan)
    : fake_gpus_(0),
      vulkan_driver_(std::move(vulkan.driver)) {
  restart();
}

void ToolBench::restart() {
  resources_.reset();
  services_.reset();
  ServicesOptions options;
  options.data_dir = folder_.path();
  options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  options.gpus = false;
  options.reward_pins = reward_pins_;
  if (!vulkan_driver_.empty()) {
    options.gpus = true;
    options.cuda_visible = "";
    options.vulkan_drivers = vulkan_driver_;
  }
  if (fake_gpus_ > 0) {
    options.make_gpus = [count = fake_gpus_, sanitizer = sanitizer_] {
      return fake_gpus(count, sanitizer);
    };
  }
  auto opened = open_services(options);
  REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
  services_ = *std::move(opened);
  resources_ = make_archive_resources(*services_);
  settle_fake_gpus(*services_->archive, fake_gpus_);
  registry_ = std::make_unique<ToolRegistry>();
  add_all_tools(*registry_, *services_);
  REQUIRE(registry_->status().has_value());
}

void ToolBench::restart_with(const RewardPins& pins) {
  reward_pins_ = std::make_shared<const RewardPins>(pins);
  restart();
}

Result<Json> ToolBench::call(const std::string& tool, const Json& arguments, CallContext context) {
  const ToolRegistry::Entry* entry = registry_->find(tool);
  REQUIRE(entry != nullptr);
  WS_CHECK(entry->input.check(arguments));
  WS_TRY(Json output, entry->tool->call(arguments, context));
  const Status meets = entry->output.check(output);
  REQUIRE_MESSAGE(meets.has_value(), to_text(meets.error()), ": ", output.dump());
  check_steps(*this, output);
  return output;
}

Json ToolBench::result(const std::string& tool, const Json& arguments) {
  Result<Json> output = call(tool, patient(*registry_, tool, arguments));
  REQUIRE_MESSAGE(output.has_value(), to_text(output.error()));
  return *std::move(output);
}

std::string ToolBench::refusal(const std::string& tool, const Json& arguments) {
  const Result<Json> output = call(tool, patient(*registry_, tool, arguments));
  REQUIRE_MESSAGE(!output.has_value(), output->dump());
  return to_text(output.error());
}

Json ToolBench::judge(const Json& problem, const Json& kernel, const std::string& level) {
  Json compile = result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  if (compile["verdict"] != "compiled") {
    return compile;
  }
  return result("validate", {{"kernel_id", compile["kernel_id"]}, {"level", level}});
}

std::string ToolBench::compiled(const Json& problem, const Json& kernel) {
  const Json output = result("compile_kernel", {{"problem", problem}, {"kernel", kernel}});
  REQUIRE_MESSAGE(output["verdict"] == "compiled", output["summary"].dump());
  return output["kernel_id"];
}

std::string lavapipe_driver() {
  return "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
}

bool lavapipe_is_here() {
  static const bool here = [] {
    const bool driver = std::filesystem::exists(lavapipe_driver());
    const bool compiler =
        std::filesystem::exists(std::string(WS_BINARY_DIR) + "/" + kSpirvPluginFile);
    if (!driver || !compiler) {
      MESSAGE("left out: shaders on the processor ("
              << (driver ? "no compiler of them was built" : "no lavapipe") << ")");
    }
    return driver && compiler;
  }();
  return here;
}

ToolBench& shader_tools() {
  static ToolBench bench(ToolBench::WithVulkan{lavapipe_driver()});
  return bench;
}

ToolBench& tools() {
  static ToolBench bench;
  return bench;
}

Json twice_problem() {
  return twice_problem("if (i < n) y[i] = 2 * x[i];");
}

Json twice_problem(const std::string& reference_body) {
  Json problem = Json::parse(R"({
    "name": "twice",
    "dims": {"n": {"values": [1000], "min": 1, "max": 4096}},
    "args": [{"name": "x", "type": "i32", "shape": ["n"], "role": "in",
              "fill": {"kind": "range", "low": -1000, "high": 1000}},
             {"name": "y", "type": "i32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "twice"}})");
  problem["reference"]["source"] =
      std::string("__global__ void twice(const int* x, int* y, int n) {\n") + kHead +
      reference_body + "\n}\n";
  problem["reference"]["launches"] = plan_of("twice");
  return problem;
}

Json twice_kernel(const std::string& body) {
  return with_source(std::string("__global__ void k(const int* x, int* y, int n) {\n") + kHead +
                     body + "\n}\n");
}

Json with_source(const std::string& source) {
  return {{"name", "k"}, {"language", "cuda"}, {"source", source}, {"launches", plan_of("k")}};
}

Json good_kernel() {
  return twice_kernel("  if (i < n) y[i] = 2 * x[i];");
}

}  // namespace ws::test
