// Workers that crash, hang or are killed: the server answers throughout.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

/// Our worker processes of a role: children of this process, by /proc.
std::vector<pid_t> workers(const std::string& role) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::ifstream command(entry.path() / "cmdline");
    pid_t pid = 0;
    pid_t parent = 0;
    std::string name;
    std::string state;
    std::string line;
    stat >> pid >> name >> state >> parent;
    std::getline(command, line);
    if (stat && parent == ::getpid() && state != "Z" &&
        line.ends_with(role + std::string(1, '\0'))) {
      found.push_back(pid);
    }
  }
  return found;
}

void kill_workers(const std::string& role) {
  for (const pid_t pid : workers(role)) {
    ::kill(pid, SIGKILL);
  }
}

Json validate_good(ToolBench& bench) {
  const std::string id = bench.compiled(twice_problem(), good_kernel());
  return bench.result("validate", {{"kernel_id", id}, {"fresh", true}});
}

Json hanging_kernel() {
  return twice_kernel("  volatile int* p = y;\n  while (i < 64 && p[0] != 12345) {}");
}

}  // namespace

TEST_SUITE("tools.workers") {
  TEST_CASE("a worker that is killed while it runs is a verdict, and the next kernel passes") {
    ToolBench bench;
    REQUIRE(validate_good(bench)["verdict"] == "passed");
    const std::string id = bench.compiled(twice_problem(), hanging_kernel());
    std::jthread killer([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (bench.services().jobs->length("cpu:0") > 0) {
          kill_workers("run");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
    const Result<Json> output = bench.call("validate", {{"kernel_id", id}});
    killer.request_stop();
    killer.join();
    if (output) {  // Killed while it ran, or while the reference did.
      const std::string verdict = (*output)["verdict"];
      CHECK((verdict == "runtime_error" || verdict == "invalid_reference"));
      const std::string message = (*output)["message"];
      CHECK_MESSAGE(message.ends_with("the kernel's worker process died with signal 9"), message);
    } else {  // Killed, again and again, while it loaded.
      CHECK(to_text(output.error()).starts_with("device_lost: the worker process is gone"));
    }
    CHECK(validate_good(bench)["verdict"] == "passed");
  }

  TEST_CASE("workers that die while they wait are not noticed by anybody") {
    ToolBench bench;
    REQUIRE(validate_good(bench)["verdict"] == "passed");
    kill_workers("run");
    kill_workers("compile");
    CHECK(validate_good(bench)["verdict"] == "passed");
    kill_workers("run");
    kill_workers("compile");
    const Json fresh =
        bench.result("compile_kernel",
                     {{"problem", twice_problem()}, {"kernel", good_kernel()}, {"fresh", true}});
    CHECK(fresh["verdict"] == "compiled");
    CHECK(fresh["cache"] == "bypass");
  }

  TEST_CASE("thirty crashing kernels in a row leave nothing behind") {
    const std::string good = tools().compiled(twice_problem(), good_kernel());
    const std::string bad =
        tools().compiled(twice_problem(), twice_kernel("  if (i == 0) *(volatile int*)8 = 1;"));
    for (int i = 0; i < 30; ++i) {
      const Json output = tools().result("validate", {{"kernel_id", bad}, {"fresh", true}});
      REQUIRE(output["verdict"] == "out_of_bounds");
      REQUIRE(output["fault"]["line"] == 3);
    }
    CHECK(tools().result("validate", {{"kernel_id", good}, {"fresh", true}})["verdict"] ==
          "passed");
  }

  TEST_CASE("three hanging kernels in a row are three timeouts, and the server answers meanwhile") {
    const std::string good = tools().compiled(twice_problem(), good_kernel());
    const std::string bad = tools().compiled(twice_problem(), hanging_kernel());
    std::vector<std::string> jobs;
    for (int i = 0; i < 3; ++i) {
      const Json output =
          tools().result("validate", {{"kernel_id", bad}, {"fresh", true}, {"wait_ms", 0}});
      jobs.push_back(output["job_id"]);
    }
    const auto start = Clock::now();
    CHECK(tools().result("list_devices", Json::object())["devices"][0]["queue_length"] == 3);
    CHECK(tools().result("compile_kernel", {{"kernel_id", good}})["verdict"] == "compiled");
    CHECK(Clock::now() - start < std::chrono::seconds(1));
    for (const std::string& job : jobs) {
      CHECK(tools().result("job", {{"job_id", job}})["verdict"] == "timeout");
    }
    CHECK(tools().result("validate", {{"kernel_id", good}, {"fresh", true}})["verdict"] ==
          "passed");
  }
}

}  // namespace ws::test
