// The forms of Kernel Tuner: what goes out can be replayed, what comes in is a space.
#include "runtime/tune/kernel_tuner.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "runtime/kernel/form/test_forms.h"
#include "tests/support/recording.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;

Evaluation good(Point point, double us) {
  Evaluation evaluation;
  evaluation.point = std::move(point);
  evaluation.us = us;
  evaluation.samples = {us, us + 1, us - 1};
  evaluation.build_s = 0.5;
  evaluation.trial_s = 0.25;
  evaluation.at = "2026-01-01T00:00:00.000Z";
  return evaluation;
}

Evaluation bad(Point point, Fate fate, Verdict verdict) {
  Evaluation evaluation;
  evaluation.point = std::move(point);
  evaluation.fate = fate;
  evaluation.verdict = verdict;
  return evaluation;
}

JournalFile journal() {
  return {{"krn_a", "cpu:0", "clang", R"([{"n":64}])", {{"A", {1, 2}}, {"B", {8, 16}}}},
          {good({0, 0}, 20), good({1, 1}, 10), bad({0, 1}, Fate::kPruned, Verdict::kResourceLimit),
           bad({1, 0}, Fate::kFailed, Verdict::kCompileError)}};
}

struct BadFile {
  const char* name;
  const char* text;
  const char* error;
};

}  // namespace

TEST_SUITE("tune.kernel_tuner") {
  TEST_CASE("an exported cache has every evaluation, in the fields that the schema requires") {
    const Json file = Json::parse(kernel_tuner_cache(journal(), "axpy"));
    CHECK(file["schema_version"] == "1.1.0");
    CHECK(file["device_name"] == "cpu:0");
    CHECK(file["kernel_name"] == "axpy");
    CHECK(file["problem_size"] == R"([{"n":64}])");
    CHECK(file["tune_params_keys"] == Json{"A", "B"});
    CHECK(file["tune_params"] == Json{{"A", {1, 2}}, {"B", {8, 16}}});
    CHECK(file["objective"] == "time");
    REQUIRE(file["cache"].size() == 4);
    const Json& entry = file["cache"]["2,16"];
    CHECK(entry["A"] == 2);
    CHECK(entry["B"] == 16);
    CHECK(entry["time"] == doctest::Approx(0.01));
    CHECK(entry["times"].size() == 3);
    CHECK(entry["compile_time"] == 500);
    CHECK(entry["benchmark_time"] == 250);
    CHECK(file["cache"]["1,16"]["time"] == "InvalidConfig");
    CHECK(file["cache"]["2,8"]["time"] == "CompilationFailedConfig");
    CHECK(file["cache"]["2,8"]["verdict"] == "compile_error");
    for (const Json& each : file["cache"]) {
      for (const char* field : {"time", "compile_time", "verification_time", "benchmark_time",
                                "strategy_time", "framework_time", "timestamp"}) {
        CHECK(each.contains(field));
      }
    }
  }

  TEST_CASE("what is exported can be read as a recording") {
    const auto recording = read_recording(kernel_tuner_cache(journal(), "axpy"));
    REQUIRE_MESSAGE(recording.has_value(), error_text(recording));
    CHECK(recording->points.size() == 4);
    CHECK(recording->optimum_us == doctest::Approx(10));
    CHECK(recording->points.at({0, 0}).compile_s == doctest::Approx(0.5));
    CHECK_FALSE(recording->points.at({1, 0}).valid);
  }

  TEST_CASE("a T1 file's space is the params, defaults and constraints of a kernel") {
    const auto form = read_t1(R"json({"ConfigurationSpace": {
      "TuningParameters": [
        {"Name": "bx", "Type": "int", "Values": "[16, 32]", "Default": 16},
        {"Name": "pad", "Type": "int", "Values": [0, 1]}],
      "Conditions": [{"Expression": "pad==0 or bx % 32 != 0", "Parameters": ["pad", "bx"]}]}})json");
    REQUIRE_MESSAGE(form.has_value(), error_text(form));
    CHECK(to_json_text(*form) == R"({"params":{"bx":[16,32],"pad":[0,1]},"defaults":{"bx":16},)"
                                 R"("constraints":["pad==0 or bx % 32 != 0"]})");
  }

  TEST_CASE("what is no recording and no T1 file is refused with what is wrong") {
    constexpr BadFile t1[] = {
        {"no JSON", "{",
         "invalid_argument: not a T1 file: it has no ConfigurationSpace.TuningParameters"},
        {"no parameters", R"({"ConfigurationSpace": {"TuningParameters": []}})",
         "invalid_argument: not a T1 file: it has no ConfigurationSpace.TuningParameters"},
        {"a name", R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "if"}]}})",
         "invalid_argument: a tuning parameter has no usable `Name`"},
        {"values", R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "x",
           "Values": "[i for i in range(3)]"}]}})",
         "invalid_argument: the values of `x` are not a list of integers; write them out: \"[16, "
         "32, 64]\""},
        {"a condition", R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "x",
           "Values": "[1]"}], "Conditions": [{"Parameters": ["x"]}]}})",
         "invalid_argument: a condition has no `Expression`"}};
    for (const BadFile& file : t1) {
      CAPTURE(std::string(file.name));
      CHECK(error_text(read_t1(file.text)) == file.error);
    }
    constexpr BadFile caches[] = {
        {"no cache", R"({"cache": {}})",
         "invalid_argument: not a cache file of Kernel Tuner (`tune_params_keys`, `tune_params`, "
         "`cache`)"},
        {"values", R"({"cache": {}, "tune_params_keys": ["x"], "tune_params": {"x": [0.5]}})",
         "invalid_argument: tune_params.x must be a list of integers"},
        {"no time", R"({"cache": {"1": {"x": 1, "time": "InvalidConfig"}},
           "tune_params_keys": ["x"], "tune_params": {"x": [1]}})",
         "invalid_argument: no point of the recording was timed"}};
    for (const BadFile& file : caches) {
      CAPTURE(std::string(file.name));
      CHECK(error_text(read_recording(file.text)) == file.error);
    }
  }
}

}  // namespace ws::tune
