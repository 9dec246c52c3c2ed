// `warpsmith tune`: what the tool measured as a cache file of Kernel Tuner, and T1 files in.
#include <chrono>
#include <csignal>
#include <thread>

#include <doctest/doctest.h>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "runtime/tune/journal.h"
#include "tests/support/child.h"
#include "tests/support/tool_bench.h"

namespace ws::test {
namespace {

struct Ended {
  int status = -1;
  std::string out;
  std::string errors;
};

Ended run_tune(std::vector<std::string> words) {
  words.insert(words.begin(), "tune");
  Child child("warpsmith", words);
  Ended ended;
  ended.out = child.rest();
  ended.errors = child.errors();
  ended.status = child.wait(std::chrono::seconds(60)).value_or(-1);
  return ended;
}

/// A stored kernel, and its id.
std::string stored_kernel(const TestFolder& data) {
  const auto archive = Archive::open(data.path());
  REQUIRE(archive.has_value());
  const std::string problem = "prb_twice_0123456789abcdef0123456789abcdef";
  const std::string kernel = "krn_twice_0123456789abcdef0123456789abcdef";
  REQUIRE((*archive)->put_problem({problem, "twice", "{}", {}}).has_value());
  REQUIRE((*archive)->put_kernel({kernel, "twice", problem, {}, "{}", {}}).has_value());
  return kernel;
}

void record(const TestFolder& data, const std::string& kernel, const std::string& device,
            std::uint32_t points) {
  auto journal = tune::Journal::open(data.path() / tune::kJournalFolder,
                                     {kernel, device, "clang", "[]", {{"A", {1, 2, 4}}}}, false);
  REQUIRE(journal.has_value());
  for (std::uint32_t i = 0; i < points; ++i) {
    tune::Evaluation evaluation;
    evaluation.point = {i};
    evaluation.us = 10;
    evaluation.samples = {10};
    REQUIRE(journal->add(evaluation).has_value());
  }
}

/// y = 2 x with a parameter of many values, compiled in the folder.
std::string compiled_kernel(const TestFolder& data) {
  Json kernel = twice_kernel("  volatile int s = @WORK@; if (i < n) y[i] = 2 * x[i] + 0 * s;");
  for (int i = 0; i < 300; ++i) {
    kernel["params"]["WORK"].push_back(i);
  }
  const Json arguments = {{"problem", twice_problem()}, {"kernel", kernel}};
  Child child("warpsmith", {"call", "compile_kernel", arguments.dump(), "--no-gpu", "--data",
                            data.path().string()});
  const Json output = Json::parse(child.rest(), nullptr, false);
  REQUIRE(child.wait(std::chrono::seconds(60)) == 0);
  return output["kernel_id"];
}

/// Evaluations that are written down.
std::size_t recorded(const TestFolder& data, const std::string& kernel) {
  const auto journals = tune::read_journals(data.path() / tune::kJournalFolder, kernel);
  return journals && !journals->empty() ? journals->front().evaluations.size() : 0;
}

std::vector<std::string> call_tune(const TestFolder& data, const Json& arguments) {
  return {"call", "tune", arguments.dump(), "--no-gpu", "--data", data.path().string()};
}

}  // namespace

TEST_SUITE("tune_command") {
  TEST_CASE("a tuning whose server was killed goes on from what was written down") {
    const TestFolder data;
    const std::string kernel = compiled_kernel(data);
    {
      Child child(
          "warpsmith",
          call_tune(data, {{"kernel_id", kernel}, {"budget_s", 300}, {"wait_ms", 300'000}}));
      for (int i = 0; i < 600 && recorded(data, kernel) < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      child.signal(SIGKILL);
      CHECK(child.wait(std::chrono::seconds(20)) == 128 + SIGKILL);
    }
    const std::size_t before = recorded(data, kernel);
    REQUIRE(before >= 3);
    Child again("warpsmith", call_tune(data, {{"kernel_id", kernel},
                                              {"budget_s", 60},
                                              {"max_evaluations", before + 2}}));
    const Json output = Json::parse(again.rest(), nullptr, false);
    REQUIRE(again.wait(std::chrono::seconds(60)) == 0);
    CHECK(output["resumed"] == before);
    CHECK(output["evaluated"] == before + 2);
    CHECK(recorded(data, kernel) == before + 2);
  }

  TEST_CASE("export prints the tuning with the most points, or that of a device") {
    const TestFolder data;
    const std::string kernel = stored_kernel(data);
    record(data, kernel, "cpu:0", 2);
    record(data, kernel, "GPU-1", 3);
    const Ended all = run_tune({"export", kernel, "--data", data.path().string()});
    CHECK(all.errors == "");
    REQUIRE(all.status == 0);
    const Json most = Json::parse(all.out, nullptr, false);
    CHECK(most["device_name"] == "GPU-1");
    CHECK(most["kernel_name"] == "twice");
    CHECK(most["cache"].size() == 3);
    const Ended one = run_tune({"export", kernel, "--device", "cpu:0", "--format", "kernel-tuner",
                                "--data", data.path().string()});
    CHECK(Json::parse(one.out, nullptr, false)["cache"].size() == 2);
  }

  TEST_CASE("a kernel that was never tuned, and one that is not known, are told apart") {
    const TestFolder data;
    const std::string kernel = stored_kernel(data);
    const Ended never = run_tune({"export", kernel, "--data", data.path().string()});
    CHECK(never.status == 1);
    CHECK(never.errors == "not_found: no tuning of " + kernel +
                              " is recorded; call the tool `tune` with it first\n");
    const Ended elsewhere =
        run_tune({"export", kernel, "--device", "cuda:7", "--data", data.path().string()});
    CHECK(elsewhere.errors == "not_found: no tuning of " + kernel +
                                  " is recorded on `cuda:7`; call the tool `tune` with it first\n");
    const Ended unknown = run_tune(
        {"export", "krn_x_0123456789abcdef0123456789abcdef", "--data", data.path().string()});
    CHECK(unknown.status == 1);
    CHECK(unknown.errors.starts_with("not_found: "));
  }

  TEST_CASE("import prints a T1 file's space as fields of a kernel, or says what it lacks") {
    const TestFolder folder;
    const std::string path = (folder.path() / "t1.json").string();
    REQUIRE(write_file(path, R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "bx", "Values": "[16, 32]", "Default": 32}], "Conditions": []}})")
                .has_value());
    const Ended good = run_tune({"import", path});
    CHECK(good.status == 0);
    CHECK(good.out ==
          "{\"params\":{\"bx\":[16,32]},\"defaults\":{\"bx\":32},\"constraints\":[]}\n");
    REQUIRE(write_file(path, "{}").has_value());
    const Ended bad = run_tune({"import", path});
    CHECK(bad.status == 1);
    CHECK(bad.errors ==
          "invalid_argument: not a T1 file: it has no ConfigurationSpace.TuningParameters\n");
  }
}

}  // namespace ws::test
