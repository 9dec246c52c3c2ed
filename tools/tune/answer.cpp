#include "tools/tune/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/base/numbers.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr double kLongerBudget = 4;
constexpr double kLongestBudget = 86400;  // As the schema has it.
constexpr int kLongerBenchmarkMs = 10000;

/// {"WORK":4}; null where there is none.
Json best_of(const TuneConclusion& conclusion) {
  return conclusion.best ? to_json(*conclusion.best) : Json();
}

std::string outcome_text(const TuneConclusion& conclusion) {
  const std::string id = conclusion.kernel_id;
  const std::string best = best_of(conclusion).dump();
  const std::string found = id + ": " + best + " is " + std::string(name_of(conclusion.verdict));
  switch (conclusion.verdict) {
    case Verdict::kNone:
      return id + ": no correct point was timed";
    case Verdict::kUnchanged:
      return id + ": nothing is faster than the defaults " + best;
    case Verdict::kNoBaseline:
      return id + ": the best is " + best + "; " + conclusion.message;
    case Verdict::kSuspect:
    case Verdict::kResolutionLimited:
      return found + ": " + conclusion.message;
    default:
      break;
  }
  return found + ": " + fixed_digits(conclusion.ratio.value_or(1), 2) +
         "x against the defaults, 95 % interval " + fixed_digits(conclusion.ratio_ci.low, 2) +
         " to " + fixed_digits(conclusion.ratio_ci.high, 2);
}

std::string summary_of(const TuneConclusion& conclusion) {
  const TuneCounts& counts = conclusion.counts;
  std::string text = outcome_text(conclusion);
  if (conclusion.emulated) {
    text += " (emulated)";
  }
  if (conclusion.ties > 0) {
    text += "; " + std::to_string(conclusion.ties) + " points tie with it";
  }
  return text + "; " + std::to_string(counts.timed) + " timed, " + std::to_string(counts.pruned()) +
         " pruned, " + std::to_string(counts.failed) + " failed";
}

std::vector<Json> steps_of_best(const std::string& id, const Json& best, bool reference_timed) {
  std::vector<Json> steps = {next_step(
      "compile_kernel", {{"base", id}, {"set", {{"defaults", best}}}}, "make them the defaults")};
  if (reference_timed) {
    steps.push_back(next_step("benchmark",
                              {{"kernel_id", id}, {"params", best}, {"baseline", "reference"}},
                              "time them against the reference"));
  }
  return steps;
}

/// By what the verdict says of the best point.
std::vector<Json> steps_by_verdict(const StoredTuning& tuning) {
  const TuneConclusion& conclusion = tuning.conclusion;
  const std::string& id = conclusion.kernel_id;
  const Json best = best_of(conclusion);
  switch (conclusion.verdict) {
    case Verdict::kNone:
      return conclusion.failures.empty()
                 ? std::vector<Json>()
                 : std::vector<Json>{next_step(
                       "validate",
                       {{"kernel_id", id}, {"params", to_json(conclusion.failures.front().params)}},
                       "see what is wrong with the first of them")};
    case Verdict::kFaster:
    case Verdict::kNoBaseline:
      return steps_of_best(id, best, tuning.reference_timed);
    case Verdict::kSuspect:
      return {next_step(
          "validate", {{"kernel_id", id}, {"params", best}, {"level", "standard"}, {"fresh", true}},
          "find out when its results are wrong")};
    case Verdict::kInconclusive:
      return {next_step("benchmark",
                        {{"kernel_id", id},
                         {"params", best},
                         {"baseline", id},
                         {"time_budget_ms", kLongerBenchmarkMs}},
                        "more samples narrow the interval against the defaults")};
    default:
      return {edit_step("compile_kernel", id, "change the code: its parameters do not help")};
  }
}

std::int64_t longer_budget_ms(double budget_s) {
  constexpr double kMsPerS = 1000;
  return std::llround(kMsPerS * std::min(kLongerBudget * budget_s, kLongestBudget));
}

std::vector<Json> steps_after(const StoredTuning& tuning) {
  const TuneConclusion& conclusion = tuning.conclusion;
  std::vector<Json> steps = steps_by_verdict(tuning);
  if (conclusion.out_of_budget) {
    steps.push_back(next_step("tune",
                              {{"kernel_id", conclusion.kernel_id},
                               {"time_budget_ms", longer_budget_ms(tuning.budget_s)}},
                              "continue from here: the measurements are kept"));
  }
  return steps;
}

}  // namespace

Answer answer_of(const StoredTuning& tuning) {
  Answer answer{.summary = summary_of(tuning.conclusion),
                .body = tuning.body,
                .next_steps = steps_after(tuning)};
  answer.body["evidence_id"] = tuning.evidence_id;
  answer.body["age_s"] = tuning.age_s;
  answer.body["links"] = kernel_links(tuning.conclusion.kernel_id);
  answer.body["links"].push_back({{"rel", "report"}, {"uri", "evidence://" + tuning.evidence_id}});
  return answer;
}

}  // namespace ws
