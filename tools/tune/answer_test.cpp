#include "tools/tune/answer.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

/// The body of a tuning that ended with this verdict.
Json body_of(Verdict verdict, const std::string& message = "") {
  TuneQuestion question;
  question.subject.kernel.id = "krn_k";
  TuneOutcome outcome;
  outcome.finals.verdict = verdict;
  outcome.finals.message = message;
  outcome.finals.winner = Params{{"WORK", 4}};
  outcome.finals.ratio = 1.5;
  outcome.finals.ratio_ci = {1.25, 1.75};
  DeviceInfo device;
  device.emulated = true;
  return tune_body(question, outcome, device, false);
}

std::string steps_of(Verdict verdict) {
  std::string all;
  for (const Json& step : tune_steps(body_of(verdict), 60)) {
    const Json call = step.value("arguments", Json());
    all += step.value("tool", "-") + (call.is_null() ? "" : call.dump()) + ";";
  }
  return all;
}

}  // namespace

TEST_SUITE("tune.answer") {
  TEST_CASE("the summary says what the verdict rests on, with a ratio where there is one") {
    const std::string counts = " (emulated); 0 timed, 0 pruned, 0 failed";
    CHECK(tune_summary(body_of(Verdict::kFaster)) ==
          "krn_k: {\"WORK\":4} is faster: 1.50x against the defaults, 95 % interval 1.25 to 1.75" +
              counts);
    CHECK(tune_summary(body_of(Verdict::kInconclusive)) ==
          "krn_k: {\"WORK\":4} is inconclusive: 1.50x against the defaults, 95 % interval 1.25 to "
          "1.75" +
              counts);
    const Json limited = body_of(Verdict::kResolutionLimited, "the launches are too short");
    CHECK(tune_summary(limited) ==
          "krn_k: {\"WORK\":4} is resolution_limited: the launches are too short" + counts);
    CHECK(limited["ratio"].is_null());
    CHECK(limited["ratio_ci"].is_null());
  }

  TEST_CASE("every verdict with a best point says what to do next") {
    const std::string read = "-;";
    CHECK(steps_of(Verdict::kFaster) ==
          R"(compile_kernel{"base":"krn_k","set":{"defaults":{"WORK":4}}};)"
          R"(benchmark{"baseline":"reference","kernel_id":"krn_k","params":{"WORK":4}};)");
    CHECK(steps_of(Verdict::kInconclusive) ==
          R"(benchmark{"baseline":"krn_k","kernel_id":"krn_k","params":{"WORK":4},)"
          R"("time_budget_ms":10000};)");
    CHECK(steps_of(Verdict::kSuspect) ==
          R"(validate{"fresh":true,"kernel_id":"krn_k","level":"standard","params":{"WORK":4}};)");
    CHECK(steps_of(Verdict::kResolutionLimited) == read);
    CHECK(steps_of(Verdict::kEquivalent) == read);
    CHECK(steps_of(Verdict::kUnchanged) == read);
  }
}

}  // namespace ws
