// Several GPUs that are alike: who runs where, and whose evidence counts.
#include <latch>
#include <set>

#include <doctest/doctest.h>

#include "runtime/device/alike.h"
#include "runtime/device/cuda/gpu_lock.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

std::string device_of(ToolBench& bench, const std::string& evidence) {
  return bench.services().archive->evidence(evidence)->device;
}

Json begin(ToolBench& bench, const std::string& tool, Json arguments) {
  arguments["wait_ms"] = 0;
  return bench.result(tool, arguments);
}

Json end(ToolBench& bench, const Json& begun) {
  return bench.result("job", {{"job_id", begun["job_id"]}});
}

/// A benchmark of some hundred milliseconds. The fake driver's flush of a cache would take longer.
Json timing_of(const std::string& kernel) {
  return {{"kernel_id", kernel}, {"cache", "hot"}, {"time_budget_ms", 200}};
}

}  // namespace

TEST_SUITE("tools.spread") {
  TEST_CASE("validations run on all GPUs that are alike when no device was named") {
    for (const int count : {2, 4}) {
      CAPTURE(count);
      ToolBench bench(count);
      std::vector<Json> begun;
      for (int i = 0; i < 2 * count; ++i) {
        const std::string kernel = bench.compiled(bump_problem(), bump_kernel("nap", i));
        begun.push_back(begin(bench, "validate", {{"kernel_id", kernel}}));
      }
      std::map<std::string, int> ran;
      for (const Json& job : begun) {
        const Json done = end(bench, job);
        CHECK(done["verdict"] == "passed");
        ++ran[device_of(bench, done["evidence_id"])];
      }
      CHECK(ran.size() == static_cast<std::size_t>(count));
    }
  }

  TEST_CASE("a device that was named runs the validation, however much waits there") {
    ToolBench bench(2);
    std::vector<Json> begun;
    for (int i = 0; i < 3; ++i) {
      const std::string kernel = bench.compiled(bump_problem(), bump_kernel("nap", i));
      begun.push_back(begin(bench, "validate", {{"kernel_id", kernel}, {"device", "cuda:1"}}));
    }
    for (const Json& job : begun) {
      CHECK(device_of(bench, end(bench, job)["evidence_id"]) == "GPU-fake-1");
    }
  }

  TEST_CASE("evidence of a GPU that is like the other counts there, right or wrong") {
    ToolBench bench(2);
    const std::string good = bench.compiled(bump_problem(), bump_kernel("add_one"));
    const Json passed = bench.result("validate", {{"kernel_id", good}, {"device", "cuda:1"}});
    CHECK(device_of(bench, passed["evidence_id"]) == "GPU-fake-1");
    const Json again = bench.result("validate", {{"kernel_id", good}, {"device", "cuda:0"}});
    CHECK(again["evidence_id"] == passed["evidence_id"]);
    CHECK(bench.result("benchmark", timing_of(good)).contains("workloads"));
    Archive& archive = *bench.services().archive;
    CHECK_FALSE(archive.latest_evidence(good, "GPU-fake-0", "validate")->has_value());
    CHECK(archive.latest_evidence(good, "GPU-fake-0", "benchmark")->has_value());

    const std::string bad = bench.compiled(bump_problem(), bump_kernel("twice"));
    const Json wrong = bench.result("validate", {{"kernel_id", bad}, {"device", "cuda:1"}});
    CHECK(wrong["verdict"] == "incorrect");
    const Json refused = bench.result("benchmark", timing_of(bad));
    CHECK(refused["verdict"] == "invalid");
    CHECK(refused["validation"]["evidence_id"] == wrong["evidence_id"]);
  }

  TEST_CASE("a GPU that is timed has nothing beside it, and another one takes what may go there") {
    ToolBench bench(2);
    const std::string timed = bench.compiled(bump_problem(), bump_kernel("add_one", 1));
    const std::string other = bench.compiled(bump_problem(), bump_kernel("add_one", 2));
    const std::string free = bench.compiled(bump_problem(), bump_kernel("add_one", 3));
    const Json first = begin(bench, "benchmark", timing_of(timed));
    const Json second = begin(bench, "benchmark", timing_of(other));
    const Json named = begin(bench, "validate", {{"kernel_id", free}, {"device", "cuda:0"}});
    CHECK(second["status"] == "queued");
    CHECK(named["status"] == "queued");
    CHECK(named["progress"]["queue_position"] == 2);
    const Json spread = bench.result("validate", {{"kernel_id", free}});
    CHECK(device_of(bench, spread["evidence_id"]) == "GPU-fake-1");
    CHECK(bench.result("job", {{"job_id", second["job_id"]}, {"action", "status"}})["status"] ==
          "queued");
    for (const Json& job : {first, second}) {
      CHECK(device_of(bench, end(bench, job)["evidence_id"]) == "GPU-fake-0");
    }
    CHECK(end(bench, named)["evidence_id"] == spread["evidence_id"]);
  }

  TEST_CASE("another server that times on one GPU keeps kernels off that one only") {
    ToolBench bench(2);
    auto lock = cuda::GpuLock::open(WS_BINARY_DIR, kFirstGpuUuid);
    REQUIRE(lock.has_value());
    REQUIRE(lock->acquire(cuda::GpuLock::Use::kAlone, std::chrono::seconds(1), {}).has_value());
    const std::string first = bench.compiled(bump_problem(), bump_kernel("add_one", 1));
    const std::string second = bench.compiled(bump_problem(), bump_kernel("add_one", 2));
    const Json held = begin(bench, "validate", {{"kernel_id", first}, {"device", "cuda:0"}});
    const Json other = bench.result("validate", {{"kernel_id", second}, {"device", "cuda:1"}});
    CHECK(other["verdict"] == "passed");
    CHECK(bench.result("job", {{"job_id", held["job_id"]}, {"action", "status"}})["status"] ==
          "running");
    lock->release();
    CHECK(end(bench, held)["verdict"] == "passed");
  }

  TEST_CASE("evaluate validates where there is room, though it will time elsewhere") {
    ToolBench bench(2);
    const std::string busy = bench.compiled(bump_problem(), bump_kernel("nap", 1));
    const Json holds = begin(bench, "validate", {{"kernel_id", busy}, {"device", "cuda:0"}});
    const std::string kernel = bench.compiled(bump_problem(), bump_kernel("nap", 2));
    const Json evaluation = begin(bench, "evaluate", {{"kernel_id", kernel}});
    Archive& archive = *bench.services().archive;
    std::optional<EvidenceRow> found;
    const auto deadline = Clock::now() + std::chrono::seconds(30);
    while (!found && Clock::now() < deadline) {
      found = *archive.latest_evidence(kernel, "", "validate");
    }
    REQUIRE(found.has_value());
    CHECK(found->device == "GPU-fake-1");
    // Its benchmark takes the fake driver long.
    bench.result("job", {{"job_id", evaluation["job_id"]}, {"action", "cancel"}});
    end(bench, holds);
  }

  TEST_CASE("of a batch three kernels at a time come to a GPU") {
    ToolBench bench(1);
    Json kernels = Json::array();
    for (int i = 0; i < 8; ++i) {
      kernels.push_back(bump_kernel("nap", i + 1));
    }
    const Json batch =
        begin(bench, "evaluate", {{"problem", bump_problem()}, {"kernels", kernels}});
    std::size_t most = 0;
    const auto deadline = Clock::now() + std::chrono::seconds(30);
    while (most < 3 && Clock::now() < deadline) {
      most = std::max(most, bench.services().jobs->length("cuda:0"));
    }
    // The others are compiled at once: they would be there by now.
    const auto later = Clock::now() + std::chrono::milliseconds(500);
    while (Clock::now() < later) {
      most = std::max(most, bench.services().jobs->length("cuda:0"));
    }
    CHECK(most == 3);
    bench.result("job", {{"job_id", batch["job_id"]}, {"action", "cancel"}});
  }

  TEST_CASE("a job that ends with its server has all that it uses until then") {
    std::size_t alike = 0;
    {
      ToolBench bench(2);
      Services& services = bench.services();
      Device& device = services.default_device();
      REQUIRE(services.alike(device).size() == 2);
      std::latch begun(1);
      const auto id = services.jobs->submit(kEvaluateLane, "test", "",
                                            [&](CallContext& context) -> Result<std::string> {
                                              begun.count_down();
                                              std::mutex mutex;
                                              std::condition_variable_any never;
                                              std::unique_lock lock(mutex);
                                              never.wait(lock, context.stop, [] { return false; });
                                              alike = services.alike(device).size();
                                              return std::string("{}");
                                            });
      REQUIRE(id.has_value());
      begun.wait();
    }
    CHECK(alike == 2);
  }

  TEST_CASE("two GPUs are alike when nothing that could change a result differs") {
    const DeviceInfo gpu = *fake_gpus(1)[0].backend->info();

    struct Row {
      const char* name;
      void (*change)(DeviceInfo& info);
      bool alike;
    };

    const Row rows[] = {
        {"another place",
         [](DeviceInfo& info) {
           info.id = "cuda:7";
           info.uuid = "x";
         },
         true},
        {"another maker", [](DeviceInfo& info) { info.backend = "hip"; }, false},
        {"another model", [](DeviceInfo& info) { info.name = "Fake GPU 2"; }, false},
        {"another architecture", [](DeviceInfo& info) { info.arch = "sm_80"; }, false},
        {"another compiler", [](DeviceInfo& info) { info.toolkit = "12.9"; }, false},
        {"another driver", [](DeviceInfo& info) { info.driver = "CUDA 12.9"; }, false},
        {"more memory", [](DeviceInfo& info) { info.memory_bytes = 1; }, false},
        {"a part of it", [](DeviceInfo& info) { info.sm_count = 1; }, false},
        {"shared", [](DeviceInfo& info) { info.notes = {"MPS"}; }, false},
    };
    for (const Row& row : rows) {
      CAPTURE(std::string(row.name));
      DeviceInfo other = gpu;
      row.change(other);
      CHECK(are_alike(gpu, other) == row.alike);
    }
  }
}

}  // namespace ws::test
