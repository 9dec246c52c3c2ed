// Workers that crash, hang or are killed: the server answers throughout.
#include <algorithm>
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

struct ProcessRow {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string role;  ///< The worker's role; a child that it forked has the same.
};

/// Every process that is not a zombie, by /proc.
std::vector<ProcessRow> processes() {
  std::vector<ProcessRow> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::ifstream command(entry.path() / "cmdline");
    ProcessRow row;
    std::string name;
    std::string state;
    stat >> row.pid >> name >> state >> row.parent;
    for (std::string word; std::getline(command, word, '\0');) {
      row.role = word;
    }
    if (stat && state != "Z") {
      found.push_back(row);
    }
  }
  return found;
}

/// Our worker processes of a role: children of this process.
std::vector<pid_t> workers(const std::string& role) {
  std::vector<pid_t> found;
  for (const ProcessRow& row : processes()) {
    if (row.parent == ::getpid() && row.role == role) {
      found.push_back(row.pid);
    }
  }
  return found;
}

/// The processes that workers of a role have forked.
std::vector<pid_t> children_of_workers(const std::string& role) {
  const std::vector<pid_t> parents = workers(role);
  std::vector<pid_t> found;
  for (const ProcessRow& row : processes()) {
    if (std::ranges::find(parents, row.parent) != parents.end()) {
      found.push_back(row.pid);
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
  constexpr const char* kKilled =
      "device_lost: a worker process was killed from outside (signal 9); ask again; if it happens "
      "often, check whether the machine runs out of memory";

  TEST_CASE("workers that are killed again and again are an error, and nothing is kept of it") {
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
    REQUIRE_FALSE(output.has_value());
    const std::string message = to_text(output.error());
    // The second one: killed while it loaded.
    CHECK_MESSAGE(
        (message == kKilled || message.starts_with("device_lost: the worker process is gone")),
        message);
    const auto kept = bench.services().archive->latest_evidence(id, "cpu:0", "validate", "");
    REQUIRE(kept.has_value());
    CHECK_FALSE(kept->has_value());
    CHECK(validate_good(bench)["verdict"] == "passed");
  }

  TEST_CASE("a worker that is killed once costs nothing but time") {
    ToolBench bench;
    const std::string id =
        bench.compiled(twice_problem(), twice_kernel("  volatile float v = 0;\n"
                                                     "  for (int k = 0; k < 20000; ++k) v += k;\n"
                                                     "  if (i < n) y[i] = 2 * x[i];"));
    int killed = 0;
    std::jthread killer([&](const std::stop_token& stop) {
      while (!stop.stop_requested() && killed == 0) {
        if (bench.services().jobs->length("cpu:0") > 0) {
          for (const pid_t pid : workers("run")) {
            killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
          }
        }
      }
    });
    CHECK(bench.result("validate", {{"kernel_id", id}})["verdict"] == "passed");
    killer.request_stop();
    killer.join();
    CHECK(killed > 0);
  }

  TEST_CASE("a compiler that is killed says nothing about the kernel") {
    ToolBench bench;
    REQUIRE(validate_good(bench)["verdict"] == "passed");
    std::string lines = "  float v = 0;\n";
    for (int i = 0; i < 4000; ++i) {
      lines += "  v = v * x[" + std::to_string(i % 64) + "] + " + std::to_string(i) + ";\n";
    }
    int killed = 0;
    std::jthread killer([&](const std::stop_token& stop) {
      while (!stop.stop_requested() && killed == 0) {
        if (bench.services().jobs->length("compile") > 0) {
          for (const pid_t pid : children_of_workers("compile")) {
            killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
          }
        }
      }
    });
    const Json output = bench.result(
        "compile_kernel", {{"problem", twice_problem()},
                           {"kernel", twice_kernel(lines + "  if (i < n) y[i] = 2 * x[i] + v;")}});
    killer.request_stop();
    killer.join();
    CHECK(output["verdict"] == "compiled");
    CHECK(killed > 0);
  }

  TEST_CASE("workers that die while they wait go unnoticed") {
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
