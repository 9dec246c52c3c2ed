#include "tests/support/fake_gpus.h"

#include <doctest/doctest.h>

#include "runtime/base/clock.h"
#include "runtime/device/library_run.h"
#include "runtime/device/sanitizer.h"
#include "tests/support/contract_device.h"

namespace ws::test {
namespace {

class FakeGpu : public Backend, public Sanitizes, public CallsLibraries {
 public:
  FakeGpu(int count, int index, const std::string& sanitizer)
      : index_(index),
        gpu_(fake_gpu(".devices_" + std::to_string(count), "", index, sanitizer)) {}

  Result<DeviceInfo> info() override {
    DeviceInfo device;
    device.id = "cuda:" + std::to_string(index_);
    device.backend = "cuda";
    device.name = "Fake GPU";
    device.arch = "sm_90a";
    device.languages = {"cuda"};
    device.uuid = "GPU-fake-" + std::to_string(index_);
    device.sm_count = 4;
    return device;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& /*stop*/,
                               bool /*fresh*/) override {
    auto outcome = std::make_shared<CompileOutcome>();
    outcome->image = fake_image(request.source.entries);
    return CompileReply{std::move(outcome), CacheUse::kMiss};
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    return gpu_->open(image, plan, std::move(arena));
  }

  Result<LibrarySession> open_library(const LibraryCall& call, const ResolvedPlan& plan,
                                      std::shared_ptr<Arena> arena,
                                      const std::stop_token& stop) override {
    return dynamic_cast<CallsLibraries&>(*gpu_).open_library(call, plan, std::move(arena), stop);
  }

  void warm() override {}

  [[nodiscard]] std::optional<Error> no_sanitizer() const override {
    return dynamic_cast<const Sanitizes&>(*gpu_).no_sanitizer();
  }

  Result<std::vector<SanitizerRecord>> sanitize(const Image& image, const RunPlan& plan,
                                                std::shared_ptr<Arena> arena, SanitizerTool tool,
                                                std::chrono::milliseconds limit,
                                                const std::stop_token& stop) override {
    return dynamic_cast<Sanitizes&>(*gpu_).sanitize(image, plan, std::move(arena), tool, limit,
                                                    stop);
  }

 private:
  const int index_;
  const std::unique_ptr<Backend> gpu_;
};

Json launches_of(const std::string& entry) {
  return {{{"entry", entry}, {"grid", {"1"}}, {"block", {"64"}}, {"args", {"values", "n"}}}};
}

std::string source_of(const std::string& entry) {
  return "__global__ void " + entry +
         "(int* values, int n) {\n"
         "  for (int i = threadIdx.x; i < n; i += blockDim.x) { values[i] += 1; }\n}\n";
}

Json product_launches(const std::string& entry) {
  return {{{"entry", entry}, {"grid", {"1"}}, {"block", {"64"}}, {"args", {"A", "B", "C", "n"}}}};
}

std::string product_source(const std::string& entry) {
  return "__global__ void " + entry + "(const float* A, const float* B, float* C, int n) {}\n";
}

}  // namespace

std::vector<Device> fake_gpus(int count, const std::string& sanitizer) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back(
        {"cuda:" + std::to_string(i), std::make_unique<FakeGpu>(count, i, sanitizer)});
  }
  return devices;
}

void settle_fake_gpus(Archive& archive, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string of = "GPU-fake-" + std::to_string(i) + "/Fake GPU/sm_90a";
    const Json floor = {{"floor", 0.02}, {"at_ms", unix_ms()}};
    REQUIRE(archive.set_setting("noise_floor/2/" + of, floor.dump()).has_value());
    REQUIRE(archive.set_setting("ceilings/2/" + of, R"({"complete": true})").has_value());
  }
}

Json bump_problem() {
  Json problem = Json::parse(R"({
    "name": "bump", "op": "bump", "dims": {"n": {"values": [64], "min": 1, "max": 65536}},
    "args": [{"name": "values", "type": "i32", "shape": ["n"], "role": "inout",
              "fill": {"kind": "range", "low": -1000, "high": 1000}}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "add_one"}})");
  problem["reference"]["source"] = source_of("add_one");
  problem["reference"]["launches"] = launches_of("add_one");
  return problem;
}

Json bump_kernel(const std::string& entry, int number) {
  return {{"name", "k"},
          {"language", "cuda"},
          {"source", "// " + std::to_string(number) + "\n" + source_of(entry)},
          {"launches", launches_of(entry)}};
}

Json product_problem(const std::string& entry) {
  Json problem = Json::parse(R"({
    "name": "product", "op": "matmul", "dims": {"n": {"values": [16], "min": 1, "max": 64}},
    "args": [{"name": "A", "type": "f32", "shape": ["n", "n"], "role": "in"},
             {"name": "B", "type": "f32", "shape": ["n", "n"], "role": "in"},
             {"name": "C", "type": "f32", "shape": ["n", "n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda"}})");
  problem["reference"]["entry"] = entry;
  problem["reference"]["source"] = product_source(entry);
  problem["reference"]["launches"] = product_launches(entry);
  return problem;
}

Json product_kernel(const std::string& entry) {
  return {{"name", "k"},
          {"language", "cuda"},
          {"source", "// mine\n" + product_source(entry)},
          {"launches", product_launches(entry)}};
}

}  // namespace ws::test
