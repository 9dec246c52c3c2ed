#include "tools/tune/conclusion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/base/numbers.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kFailureShown = 160;

/// One of each verdict, the most frequent ones first, equals by the verdict's name.
std::vector<TuneFailure> failures_of(const TuneOutcome& outcome) {
  std::map<std::string_view, TuneFailure> by_verdict;
  for (const TunedPoint& point : outcome.evaluations) {
    const tune::Evaluation& evaluation = point.evaluation;
    if (evaluation.fate != tune::Fate::kFailed) {
      continue;
    }
    TuneFailure& failure = by_verdict[name_of(evaluation.verdict)];
    if (++failure.count == 1) {
      failure.verdict = evaluation.verdict;
      failure.params = point.params;
      failure.message = quoted(evaluation.message, kFailureShown);
    }
  }
  std::vector<TuneFailure> failures;
  for (auto& [name, failure] : by_verdict) {
    failures.push_back(std::move(failure));
  }
  std::stable_sort(failures.begin(), failures.end(),
                   [](const TuneFailure& a, const TuneFailure& b) { return a.count > b.count; });
  return failures;
}

TuneCounts counts_of(const TuneOutcome& outcome) {
  TuneCounts counts;
  counts.by_constraints = outcome.excluded;
  for (const TunedPoint& point : outcome.evaluations) {
    switch (point.evaluation.fate) {
      case tune::Fate::kGood:
        ++counts.timed;
        break;
      case tune::Fate::kFailed:
        ++counts.failed;
        break;
      case tune::Fate::kPruned:
        ++(point.evaluation.verdict == Verdict::kUnsupported ? counts.by_kernel : counts.by_device);
        break;
    }
  }
  return counts;
}

bool has_ratio(Verdict verdict) {
  return verdict != Verdict::kNone && verdict != Verdict::kNoBaseline &&
         verdict != Verdict::kSuspect && verdict != Verdict::kResolutionLimited;
}

/// A verdict of a form. A name that this version does not know says nothing good.
Verdict verdict_of_form(const Json& form) {
  return verdict_of(form.at("verdict").get<std::string>()).value_or(Verdict::kSuspect);
}

}  // namespace

TuneConclusion conclusion_of(const TuneQuestion& question, const TuneOutcome& outcome,
                             const DeviceInfo& device) {
  const FinalsResult& finals = outcome.finals;
  TuneConclusion conclusion;
  conclusion.kernel_id = question.subject.kernel.id;
  conclusion.verdict = finals.verdict;
  conclusion.message = quoted(finals.message);
  conclusion.best = finals.winner;
  if (has_ratio(finals.verdict)) {
    conclusion.ratio = rounded(finals.ratio);
    conclusion.ratio_ci = {rounded(finals.ratio_ci.low), rounded(finals.ratio_ci.high)};
  }
  conclusion.ties = finals.ties.size();
  conclusion.counts = counts_of(outcome);
  conclusion.failures = failures_of(outcome);
  conclusion.emulated = device.emulated;
  conclusion.out_of_budget = outcome.end == tune::TuneEnd::kBudget;
  return conclusion;
}

void from_json(const Json& body, TuneConclusion& conclusion) {
  conclusion.kernel_id = body.at("kernel_id");
  conclusion.verdict = verdict_of_form(body);
  conclusion.message = body.value("message", "");
  if (body.at("best_params").is_object()) {
    conclusion.best = params_of_form(body["best_params"]);
  }
  if (body.at("ratio").is_number()) {
    conclusion.ratio = body["ratio"].get<double>();
    conclusion.ratio_ci = {body.at("ratio_ci").at(0), body["ratio_ci"].at(1)};
  }
  conclusion.ties = body.at("ties").size();
  const Json& pruned = body.at("pruned_by");
  conclusion.counts = {.timed = body.at("evaluated"),
                       .failed = body.at("failed"),
                       .by_constraints = pruned.at("constraints"),
                       .by_device = pruned.at("device"),
                       .by_kernel = pruned.at("kernel")};
  for (const Json& row : body.at("failures")) {
    conclusion.failures.push_back({.verdict = verdict_of_form(row),
                                   .count = row.at("count"),
                                   .params = params_of_form(row.at("params")),
                                   .message = row.at("message")});
  }
  conclusion.emulated = body.at("emulated");
  conclusion.out_of_budget = body.at("ended_by") == name_of(tune::TuneEnd::kBudget);
}

}  // namespace ws
