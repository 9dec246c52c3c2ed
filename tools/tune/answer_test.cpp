#include "tools/tune/answer.h"

#include <doctest/doctest.h>

#include "tools/tune/body.h"

namespace ws {
namespace {

/// A tuning that ended with this verdict.
StoredTuning tuning_of(Verdict verdict, const std::string& message = "") {
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
  StoredTuning tuning;
  tuning.conclusion = conclusion_of(question, outcome, device);
  tuning.body = tune_body(question, outcome, tuning.conclusion, false);
  return tuning;
}

std::string summary_of(Verdict verdict, const std::string& message = "") {
  return answer_of(tuning_of(verdict, message)).summary;
}

std::string steps_of(Verdict verdict) {
  std::string all;
  for (const Json& step : answer_of(tuning_of(verdict)).next_steps) {
    const Json call = step.value("arguments", Json());
    all += step.value("tool", "-") + (call.is_null() ? "" : call.dump()) + ";";
  }
  return all;
}

}  // namespace

TEST_SUITE("tune.answer") {
  TEST_CASE("the summary says what the verdict rests on, with a ratio where there is one") {
    const std::string counts = " (emulated); 0 timed, 0 pruned, 0 failed";
    CHECK(summary_of(Verdict::kFaster) ==
          "krn_k: {\"WORK\":4} is faster: 1.50x against the defaults, 95 % interval 1.25 to 1.75" +
              counts);
    CHECK(summary_of(Verdict::kInconclusive) ==
          "krn_k: {\"WORK\":4} is inconclusive: 1.50x against the defaults, 95 % interval 1.25 to "
          "1.75" +
              counts);
    CHECK(summary_of(Verdict::kResolutionLimited, "the launches are too short") ==
          "krn_k: {\"WORK\":4} is resolution_limited: the launches are too short" + counts);
    const Json limited = tuning_of(Verdict::kResolutionLimited).body;
    CHECK(limited["ratio"].is_null());
    CHECK(limited["ratio_ci"].is_null());
  }

  TEST_CASE("every verdict with a best point says what to do next") {
    const std::string read = "-;";
    CHECK(steps_of(Verdict::kFaster) ==
          R"(compile_kernel{"base":"krn_k","set":{"defaults":{"WORK":4}}};)"
          R"(benchmark{"baseline":"reference","kernel_id":"krn_k","params":{"WORK":4}};)");
    StoredTuning shader = tuning_of(Verdict::kFaster);
    shader.reference_timed = false;
    CHECK(answer_of(shader).next_steps.size() == 1);
    CHECK(steps_of(Verdict::kInconclusive) ==
          R"(benchmark{"baseline":"krn_k","kernel_id":"krn_k","params":{"WORK":4},)"
          R"("time_budget_ms":10000};)");
    CHECK(steps_of(Verdict::kSuspect) ==
          R"(validate{"fresh":true,"kernel_id":"krn_k","level":"standard","params":{"WORK":4}};)");
    CHECK(steps_of(Verdict::kResolutionLimited) == read);
    CHECK(steps_of(Verdict::kEquivalent) == read);
    CHECK(steps_of(Verdict::kUnchanged) == read);
  }

  TEST_CASE("a recorded result says what it said when it was made") {
    TuneOutcome outcome;
    outcome.end = tune::TuneEnd::kBudget;
    outcome.excluded = 3;
    outcome.finals.verdict = Verdict::kEquivalent;
    outcome.finals.winner = Params{{"WORK", 4}};
    outcome.finals.ratio = 1.23456;
    outcome.finals.ties.emplace_back();
    for (const Verdict verdict :
         {Verdict::kTimeout, Verdict::kIncorrect, Verdict::kUnsupported, Verdict::kIncorrect}) {
      TunedPoint point{.params = {{"WORK", 8}}, .evaluation = {}};
      point.evaluation.verdict = verdict;
      point.evaluation.fate =
          verdict == Verdict::kUnsupported ? tune::Fate::kPruned : tune::Fate::kFailed;
      outcome.evaluations.push_back(point);
    }
    const TuneQuestion question;
    StoredTuning tuning;
    tuning.conclusion = conclusion_of(question, outcome, DeviceInfo());
    tuning.body = tune_body(question, outcome, tuning.conclusion, true);
    const Answer told = answer_of(tuning);
    tuning.conclusion = tuning.body.get<TuneConclusion>();
    const Answer again = answer_of(tuning);
    CHECK(told.summary ==
          ": {\"WORK\":4} is equivalent: 1.24x against the defaults, 95 % interval 1.00 to 1.00; "
          "1 points tie with it; 0 timed, 4 pruned, 3 failed");
    CHECK(again.summary == told.summary);
    CHECK(again.next_steps == told.next_steps);
    CHECK(tuning.body["failures"][0]["verdict"] == "incorrect");
    CHECK(tuning.body["failures"][0]["count"] == 2);
  }
}

}  // namespace ws
