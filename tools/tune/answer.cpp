#include "tools/tune/answer.h"

#include <algorithm>
#include <map>

#include "runtime/base/numbers.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kCurveShown = 16;
constexpr std::size_t kPointsShown = 5;
constexpr std::size_t kPointsFull = 64;
constexpr std::size_t kFailuresShown = 3;
constexpr std::size_t kMessageShown = 160;
constexpr double kLongerBudget = 4;
constexpr double kLongestBudget = 86400;  // As the schema has it.
constexpr int kLongerBenchmarkMs = 10000;

Json interval_form(const Interval& interval) {
  return {rounded(interval.low), rounded(interval.high)};
}

/// Of a long curve every so many points, and the last.
Json curve_form(const std::vector<tune::ConvergencePoint>& curve, bool full) {
  const std::size_t step = full ? 1 : curve.size() / kCurveShown + 1;
  Json form = Json::array();
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (i % step == 0 || i + 1 == curve.size()) {
      form.push_back({{"t_s", rounded(curve[i].t_s)}, {"best_us", rounded(curve[i].best_us)}});
    }
  }
  return form;
}

/// The fastest of those that were timed.
Json points_form(const TuneOutcome& outcome, bool full) {
  std::vector<const TunedPoint*> timed;
  for (const TunedPoint& point : outcome.evaluations) {
    if (point.evaluation.fate == tune::Fate::kGood) {
      timed.push_back(&point);
    }
  }
  std::stable_sort(timed.begin(), timed.end(), [](const TunedPoint* a, const TunedPoint* b) {
    return a->evaluation.us < b->evaluation.us;
  });
  timed.resize(std::min(timed.size(), full ? kPointsFull : kPointsShown));
  Json form = Json::array();
  for (const TunedPoint* point : timed) {
    form.push_back({{"params", to_json(point->params)},
                    {"us", rounded(point->evaluation.us)},
                    {"samples", point->evaluation.samples.size()},
                    {"validated", point->evaluation.verified}});
  }
  return form;
}

/// One of each verdict, the most frequent ones first.
Json failures_form(const TuneOutcome& outcome, bool full) {
  std::map<std::string, std::pair<std::size_t, const TunedPoint*>> by_verdict;
  for (const TunedPoint& point : outcome.evaluations) {
    if (point.evaluation.fate == tune::Fate::kFailed) {
      auto& [count, first] = by_verdict[point.evaluation.verdict];
      first = ++count == 1 ? &point : first;
    }
  }
  std::vector<std::pair<std::size_t, const TunedPoint*>> rows;
  for (const auto& [verdict, row] : by_verdict) {
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  rows.resize(std::min(rows.size(), full ? kPointsFull : kFailuresShown));
  Json form = Json::array();
  for (const auto& [count, point] : rows) {
    form.push_back({{"verdict", point->evaluation.verdict},
                    {"count", count},
                    {"params", to_json(point->params)},
                    {"message", quoted(point->evaluation.message, kMessageShown)}});
  }
  return form;
}

void add_counts(Json& body, const TuneOutcome& outcome) {
  std::size_t timed = 0;
  std::size_t failed = 0;
  std::size_t by_kernel = 0;
  std::size_t by_device = 0;
  for (const TunedPoint& point : outcome.evaluations) {
    const tune::Evaluation& evaluation = point.evaluation;
    timed += evaluation.fate == tune::Fate::kGood ? 1 : 0;
    failed += evaluation.fate == tune::Fate::kFailed ? 1 : 0;
    if (evaluation.fate == tune::Fate::kPruned) {
      ++(verdict_of(evaluation.verdict) == Verdict::kUnsupported ? by_kernel : by_device);
    }
  }
  body["evaluated"] = timed;
  body["failed"] = failed;
  body["pruned"] = outcome.excluded + by_kernel + by_device;
  body["pruned_by"] = {
      {"constraints", outcome.excluded}, {"device", by_device}, {"kernel", by_kernel}};
  body["points_total"] = outcome.points;
  body["resumed"] = outcome.resumed;
}

Json rejected_form(const RejectedPoint& point) {
  return {{"params", to_json(point.params)},
          {"verdict", name_of(point.verdict)},
          {"message", quoted(point.message, kMessageShown)}};
}

void add_finals(Json& body, const FinalsResult& finals) {
  const bool has_ratio =
      finals.verdict != Verdict::kNone && finals.verdict != Verdict::kNoBaseline &&
      finals.verdict != Verdict::kSuspect && finals.verdict != Verdict::kResolutionLimited;
  body["verdict"] = name_of(finals.verdict);
  body["best_params"] = finals.winner ? to_json(*finals.winner) : Json();
  body["ratio"] = has_ratio ? Json(rounded(finals.ratio)) : Json();
  body["ratio_ci"] = has_ratio ? interval_form(finals.ratio_ci) : Json();
  body["noise_floor"] = rounded(finals.noise_floor.ratio);
  if (!finals.message.empty()) {
    body["message"] = quoted(finals.message);
  }
  body["ties"] = Json::array();
  for (const TiedPoint& tie : finals.ties) {
    body["ties"].push_back({{"params", to_json(tie.params)},
                            {"verdict", name_of(tie.verdict)},
                            {"ratio", rounded(tie.ratio)},
                            {"ratio_ci", interval_form(tie.ratio_ci)}});
  }
  body["rejected"] = Json::array();
  for (const RejectedPoint& point : finals.rejected) {
    body["rejected"].push_back(rejected_form(point));
  }
  if (finals.validation) {
    body["validation"] = {{"level", "standard"},
                          {"verdict", name_of(finals.validation->result.verdict)},
                          {"evidence_id", finals.validation->evidence_id},
                          {"others_checked", finals.sample_checked}};
  }
}

void add_workloads(Json& body, const TuneOutcome& outcome) {
  body["workloads"] = Json::array();
  for (const WorkloadTimes& row : outcome.finals.workloads) {
    body["workloads"].push_back({{"workload", to_json(row.workload)},
                                 {"median_us", rounded(median(row.times.kernel_us))},
                                 {"defaults_median_us", rounded(median(row.times.baseline_us))},
                                 {"ratio", rounded(row.times.ratio)},
                                 {"ratio_ci", interval_form(row.times.ratio_ci)}});
  }
  if (outcome.finals.workloads.empty()) {
    for (const Workload& workload : outcome.timed) {
      body["workloads"].push_back({{"workload", to_json(workload)}});
    }
  }
}

std::string outcome_text(const Json& body) {
  const std::string id = body["kernel_id"];
  const std::string word = body["verdict"];
  const std::optional<Verdict> verdict = verdict_of(word);
  const std::string best = body["best_params"].dump();
  if (verdict == Verdict::kNone) {
    return id + ": no point is right and was timed";
  }
  if (verdict == Verdict::kUnchanged) {
    return id + ": nothing is faster than the defaults " + best;
  }
  if (verdict == Verdict::kNoBaseline) {
    return id + ": the best is " + best + "; " + body["message"].get<std::string>();
  }
  if (verdict == Verdict::kSuspect) {
    return id + ": " + best + " is suspect: " + body["message"].get<std::string>();
  }
  if (verdict == Verdict::kResolutionLimited) {
    return id + ": " + best + " is " + word + ": " + body["message"].get<std::string>();
  }
  return id + ": " + best + " is " + word + ": " + fixed_digits(body["ratio"], 2) +
         "x against the defaults, 95 % interval " + fixed_digits(body["ratio_ci"][0], 2) + " to " +
         fixed_digits(body["ratio_ci"][1], 2);
}

/// What keeps a search: builds, where these take most of its time, or trials.
Json pace_form(const Pace& pace) {
  const auto part = [](double s, double of) { return of > 0 ? Json(rounded(s / of)) : Json(); };
  return {{"search_s", rounded(pace.search_s)},
          {"builds", pace.builds},
          {"build_s", part(pace.builds_s, static_cast<double>(pace.builds))},
          {"building_s", rounded(pace.building_s)},
          {"trials", pace.trials},
          {"measuring_s", rounded(pace.measuring_s)},
          {"builds_per_s", part(static_cast<double>(pace.builds), pace.search_s)},
          {"overlap", part(pace.both_s, std::min(pace.building_s, pace.measuring_s))}};
}

}  // namespace

Json tune_body(const TuneQuestion& question, const TuneOutcome& outcome, const DeviceInfo& device,
               bool full) {
  Json body = {{"kernel_id", question.subject.kernel.id},
               {"strategy", question.strategy},
               {"objective", question.objective},
               {"ended_by", name_of(outcome.end)},
               {"emulated", device.emulated},
               {"defaults", to_json(question.subject.kernel.defaults)},
               {"convergence", curve_form(outcome.convergence, full)},
               {"top", points_form(outcome, full)},
               {"failures", failures_form(outcome, full)}};
  add_counts(body, outcome);
  add_finals(body, outcome.finals);
  add_workloads(body, outcome);
  body["pace"] = pace_form(outcome.pace);
  body["best_us"] = outcome.winner_us ? Json(rounded(*outcome.winner_us)) : Json();
  return body;
}

std::string tune_summary(const Json& body) {
  std::string text = outcome_text(body);
  if (body["emulated"] == true) {
    text += " (emulated)";
  }
  if (!body["ties"].empty()) {
    text += "; " + std::to_string(body["ties"].size()) + " points tie with it";
  }
  text += "; " + body["evaluated"].dump() + " timed, " + body["pruned"].dump() + " pruned, " +
          body["failed"].dump() + " failed";
  return text;
}

std::vector<Json> tune_steps(const Json& body, double budget_s) {
  const std::string id = body["kernel_id"];
  const std::optional<Verdict> verdict = verdict_of(body["verdict"].get<std::string>());
  std::vector<Json> steps;
  if (verdict == Verdict::kNone && !body["failures"].empty()) {
    const Json& first = body["failures"][0];
    steps.push_back(next_step("validate", {{"kernel_id", id}, {"params", first["params"]}},
                              "see what is wrong with the first of them"));
  } else if (verdict == Verdict::kFaster || verdict == Verdict::kNoBaseline) {
    steps.push_back(next_step("compile_kernel",
                              {{"base", id}, {"set", {{"defaults", body["best_params"]}}}},
                              "make them the defaults"));
    steps.push_back(
        next_step("benchmark",
                  {{"kernel_id", id}, {"params", body["best_params"]}, {"baseline", "reference"}},
                  "time them against the reference"));
  } else if (verdict == Verdict::kSuspect) {
    steps.push_back(next_step("validate",
                              {{"kernel_id", id},
                               {"params", body["best_params"]},
                               {"level", "standard"},
                               {"fresh", true}},
                              "find out when its results are wrong"));
  } else if (verdict == Verdict::kInconclusive) {
    steps.push_back(next_step("benchmark",
                              {{"kernel_id", id},
                               {"params", body["best_params"]},
                               {"baseline", id},
                               {"time_budget_ms", kLongerBenchmarkMs}},
                              "more samples narrow the interval against the defaults"));
  } else if (verdict != Verdict::kNone) {
    steps.push_back(edit_step("compile_kernel", id, "change the code: its parameters do not help"));
  }
  if (body["ended_by"] == "budget") {
    steps.push_back(next_step(
        "tune",
        {{"kernel_id", id}, {"budget_s", std::min(kLongerBudget * budget_s, kLongestBudget)}},
        "go on from here: what was measured is kept"));
  }
  return steps;
}

}  // namespace ws
