#include "tools/tune/body.h"

#include <algorithm>

#include "runtime/base/numbers.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kCurveShown = 16;
constexpr std::size_t kPointsShown = 5;
constexpr std::size_t kPointsFull = 64;
constexpr std::size_t kFailuresShown = 3;
constexpr std::size_t kMessageShown = 160;

Json interval_form(const Interval& interval) {
  return {rounded(interval.low), rounded(interval.high)};
}

/// A long curve is thinned out; its last point is always there.
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

Json failures_form(const std::vector<TuneFailure>& failures, bool full) {
  Json form = Json::array();
  for (const TuneFailure& failure : failures) {
    if (form.size() < (full ? kPointsFull : kFailuresShown)) {
      form.push_back({{"verdict", name_of(failure.verdict)},
                      {"count", failure.count},
                      {"params", to_json(failure.params)},
                      {"message", failure.message}});
    }
  }
  return form;
}

void add_counts(Json& body, const TuneOutcome& outcome, const TuneCounts& counts) {
  body["evaluated"] = counts.timed;
  body["failed"] = counts.failed;
  body["pruned"] = counts.pruned();
  body["pruned_by"] = {{"constraints", counts.by_constraints},
                       {"device", counts.by_device},
                       {"kernel", counts.by_kernel}};
  body["points_total"] = outcome.points;
  body["resumed"] = outcome.resumed;
}

Json rejected_form(const RejectedPoint& point) {
  return {{"params", to_json(point.params)},
          {"verdict", name_of(point.verdict)},
          {"message", quoted(point.message, kMessageShown)}};
}

void add_finals(Json& body, const FinalsResult& finals, const TuneConclusion& conclusion) {
  body["verdict"] = name_of(conclusion.verdict);
  body["best_params"] = conclusion.best ? to_json(*conclusion.best) : Json();
  body["ratio"] = conclusion.ratio ? Json(*conclusion.ratio) : Json();
  body["ratio_ci"] = conclusion.ratio ? interval_form(conclusion.ratio_ci) : Json();
  body["noise_floor"] = rounded(finals.noise_floor.ratio);
  if (!conclusion.message.empty()) {
    body["message"] = conclusion.message;
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

/// Shows whether a search spends its time on builds or on trials.
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

Json tune_body(const TuneQuestion& question, const TuneOutcome& outcome,
               const TuneConclusion& conclusion, bool full) {
  Json body = {{"kernel_id", conclusion.kernel_id},
               {"strategy", question.asked.strategy},
               {"objective", question.asked.objective},
               {"ended_by", name_of(outcome.end)},
               {"emulated", conclusion.emulated},
               {"defaults", to_json(question.subject.kernel.defaults)},
               {"convergence", curve_form(outcome.convergence, full)},
               {"top", points_form(outcome, full)},
               {"failures", failures_form(conclusion.failures, full)}};
  add_counts(body, outcome, conclusion.counts);
  add_finals(body, outcome.finals, conclusion);
  add_workloads(body, outcome);
  body["pace"] = pace_form(outcome.pace);
  body["best_us"] = outcome.winner_us ? Json(rounded(*outcome.winner_us)) : Json();
  return body;
}

}  // namespace ws
