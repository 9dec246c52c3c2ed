#include "tools/evaluate/series.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/hash.h"
#include "runtime/base/numbers.h"
#include "runtime/search/text_forms.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

/// The evaluations so far.
struct RewardSeries {
  std::size_t evaluations = 0;
  double least = 0;  ///< The least speed-up; kUntrusted where one was suspect.
};

Result<std::string> name_of_series(const EvaluateQuestion& question) {
  const Subject& subject = question.subject;
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", question.params}}));
  Json terms = {{"problem", subject.problem.id},
                {"device", info.key()},
                {"params", to_json(point)},
                {"baseline", question.baseline},
                {"text", text_forms(subject.kernel.json).renamed}};
  if (question.from == RewardFrom::kModel) {
    terms["model"] = kModelVersion;
  }
  return "reward/1/" + sha256_hex(terms.dump());
}

RewardSeries series_of(const std::vector<SeriesRow>& rows) {
  RewardSeries series{.evaluations = rows.size(), .least = 0};
  if (!rows.empty()) {
    series.least =
        std::min_element(rows.begin(), rows.end(), [](const SeriesRow& a, const SeriesRow& b) {
          return a.value < b.value;
        })->value;
  }
  return series;
}

Result<RewardSeries> add_to_series(const Services& services, const EvaluateQuestion& question,
                                   double speedup) {
  WS_TRY(const std::string name, name_of_series(question));
  WS_TRY(const auto rows,
         services.series->add(name, {.kernel_id = question.subject.kernel.id, .value = speedup}));
  return series_of(rows);
}

Result<RewardSeries> reward_series(const Services& services, const EvaluateQuestion& question) {
  WS_TRY(const std::string name, name_of_series(question));
  WS_TRY(const auto rows, services.series->rows(name));
  return series_of(rows);
}

/// The speed-up that an evaluation alone would be paid for; nothing where none was measured.
std::optional<double> speed_of(const Evaluation& evaluation) {
  if (evaluation.modelled) {
    return evaluation.correct() && evaluation.modelled->unknown.empty()
               ? std::optional(
                     paid_speedup(evaluation.verdict, {.low = rounded(evaluation.modelled->low),
                                                       .high = rounded(evaluation.modelled->high)}))
               : std::nullopt;
  }
  if (!evaluation.benchmark) {
    return std::nullopt;
  }
  const BenchmarkResult& result = evaluation.benchmark->result;
  if (result.verdict == Verdict::kSuspect) {
    return kUntrusted;
  }
  return evaluation.correct()
             ? std::optional(paid_speedup(result.verdict,
                                          result.ratio ? Interval{rounded(result.ratio->ci.low),
                                                                  rounded(result.ratio->ci.high)}
                                                       : Interval{1, 1}))
             : std::nullopt;
}

/// Sets the reward, or why there is none, by the evaluation's series.
void set_reward(const EvaluateQuestion& question, Evaluation& evaluation) {
  const bool weak = evaluation.validation && !evaluation.validation->weak_problem.empty();
  evaluation.reward.reset();
  evaluation.withheld.clear();
  if (!evaluation.correct()) {
    evaluation.reward = 0.0;
  } else if (weak) {
    evaluation.withheld = "the problem is weak: " + evaluation.validation->weak_problem.front();
  } else if (!question.withheld.empty()) {
    evaluation.withheld = question.withheld;
  } else if (evaluation.modelled && !evaluation.modelled->unknown.empty()) {
    evaluation.withheld = "the model cannot say: " + evaluation.modelled->unknown;
  } else if (evaluation.paid < 0) {
    evaluation.reward = 0.0;
    evaluation.withheld = "another evaluation of this kernel was suspect, and the least counts";
  } else {
    evaluation.reward = rounded(reward(evaluation.paid, question.offset));
  }
}

}  // namespace

Status pay_new(const Services& services, const EvaluateQuestion& question, Evaluation& evaluation) {
  if (const auto speed = speed_of(evaluation)) {
    WS_TRY(const RewardSeries series, add_to_series(services, question, *speed));
    evaluation.evaluations = series.evaluations;
    evaluation.paid = series.least;
  }
  set_reward(question, evaluation);
  return {};
}

Status pay_known(const Services& services, const EvaluateQuestion& question,
                 Evaluation& evaluation) {
  const auto speed = speed_of(evaluation);
  if (!evaluation.correct() || !speed) {
    return {};
  }
  WS_TRY(RewardSeries series, reward_series(services, question));
  if (series.evaluations == 0) {
    WS_TRY(series, add_to_series(services, question, *speed));
  }
  evaluation.evaluations = series.evaluations;
  evaluation.paid = series.least;
  set_reward(question, evaluation);
  return {};
}

}  // namespace ws
