#include "runtime/tune/tuner.h"

#include <algorithm>
#include <utility>

namespace ws::tune {
namespace {

/// Points beyond one for each compiler that may wait for the device: it is never idle, and few
/// were chosen long ago.
constexpr std::size_t kReadyAhead = 2;

/// Known points that a strategy may ask for in a row before it is taken to have no new one.
constexpr int kMaxKnown = 20'000;

}  // namespace

std::string_view name_of(TuneEnd end) {
  switch (end) {
    case TuneEnd::kBudget:
      return "budget";
    case TuneEnd::kEvaluations:
      return "evaluations";
    case TuneEnd::kExhausted:
      return "exhausted";
    case TuneEnd::kStopped:
      break;
  }
  return "stopped";
}

Tuner::Tuner(Space& space, Strategy& strategy, EvaluationBackend& backend, TunerOptions options)
    : space_(space),
      strategy_(strategy),
      backend_(backend),
      options_(std::move(options)) {}

double Tuner::best_us() const {
  return result_.best ? result_.evaluations[*result_.best].us : kUnusable;
}

void Tuner::know(std::vector<Evaluation> evaluations) {
  for (Evaluation& evaluation : evaluations) {
    if (space_.holds(evaluation.point) && !known_.contains(evaluation.point)) {
      conclude(std::move(evaluation), {});
    }
  }
  result_.convergence.clear();  // Their times are of another tuning's clock.
}

bool Tuner::may_build() const {
  if (options_.max_evaluations && known_.size() + under_way_.size() >= *options_.max_evaluations) {
    return false;
  }
  if (backend_.shares_cores() && (trying_ || !ready_.empty())) {
    return false;
  }
  return building_ < backend_.workers() &&
         building_ + ready_.size() < backend_.workers() + kReadyAhead &&
         ready_.size() <= kReadyAhead;
}

std::optional<Point> Tuner::next_point() {
  while (next_first_ < options_.first.size()) {
    const Point& point = options_.first[next_first_++];
    if (space_.holds(point) && !known_.contains(point)) {
      return point;
    }
  }
  if (space_.listed() && known_.size() + under_way_.size() >= space_.points().size()) {
    return std::nullopt;  // Every point that it asks for was or is tried.
  }
  for (int tries = 0; tries < kMaxKnown; ++tries) {
    std::optional<Point> point = strategy_.ask();
    if (!point) {
      return std::nullopt;
    }
    const auto known = known_.find(*point);
    if (known != known_.end()) {
      const Evaluation& evaluation = result_.evaluations[known->second];
      strategy_.tell(evaluation.point, evaluation.features, evaluation.us);
    } else if (!under_way_.contains(*point)) {
      return point;
    }
  }
  return std::nullopt;
}

Status Tuner::begin_builds() {
  while (may_build()) {
    std::optional<Point> point = next_point();
    WS_CHECK(space_.status());
    if (!point) {
      break;
    }
    WS_CHECK(backend_.begin_build(*point));
    ++building_;
    under_way_[*point];
  }
  return {};
}

Status Tuner::begin_trial() {
  if (trying_ || ready_.empty() || (backend_.shares_cores() && building_ > 0)) {
    return {};
  }
  // The first of equals: in the order in which they were built.
  const auto chosen =
      std::max_element(ready_.begin(), ready_.end(), [this](const Ready& a, const Ready& b) {
        return strategy_.promise(a.point, a.features) < strategy_.promise(b.point, b.features);
      });
  static const std::vector<double> none;
  const std::vector<double>& best =
      result_.best ? result_.evaluations[*result_.best].samples : none;
  WS_CHECK(backend_.begin_trial(chosen->point, best));
  trying_ = true;
  under_way_[chosen->point] = *chosen;
  ready_.erase(chosen);
  return {};
}

Evaluation Tuner::evaluation_of(LabEvent event) {
  Evaluation evaluation;
  evaluation.fate = event.fate;
  evaluation.verdict = event.verdict;
  evaluation.message = std::move(event.message);
  Ready& built = under_way_[event.point];
  evaluation.features = std::move(built.features);
  evaluation.build_s = event.trial ? built.build_s : event.took_s;
  evaluation.trial_s = event.trial ? event.took_s : 0;
  if (event.fate == Fate::kGood) {
    evaluation.us = event.us;
    evaluation.samples = std::move(event.samples);
    evaluation.verified = event.verified;
  }
  evaluation.t_s = elapsed();
  evaluation.point = std::move(event.point);
  return evaluation;
}

bool Tuner::conclude(Evaluation evaluation, const OnEvaluation& on_evaluation) {
  under_way_.erase(evaluation.point);
  known_[evaluation.point] = result_.evaluations.size();
  const bool better = evaluation.verified && evaluation.us < best_us();
  result_.evaluations.push_back(std::move(evaluation));
  const Evaluation& placed = result_.evaluations.back();
  if (better) {
    result_.best = result_.evaluations.size() - 1;
    result_.convergence.push_back({placed.t_s, placed.us});
  }
  strategy_.tell(placed.point, placed.features, placed.us);
  const Evaluation* best = result_.best ? &result_.evaluations[*result_.best] : nullptr;
  return !on_evaluation || on_evaluation(placed, best, placed.t_s);
}

Result<TuneResult> Tuner::run(const OnEvaluation& on_evaluation) {
  start_s_ = backend_.now_s();
  for (;;) {
    WS_CHECK(begin_builds());
    WS_CHECK(begin_trial());
    if (building_ == 0 && !trying_) {
      const bool full = options_.max_evaluations && known_.size() >= *options_.max_evaluations;
      result_.end = full ? TuneEnd::kEvaluations : TuneEnd::kExhausted;
      break;
    }
    WS_TRY(std::optional<LabEvent> event, backend_.next(start_s_ + options_.budget_s));
    if (!event) {
      result_.end = TuneEnd::kBudget;
      break;
    }
    if (event->trial) {
      trying_ = false;
    } else {
      --building_;
    }
    if (!event->trial && event->fate == Fate::kGood) {
      ready_.push_back({std::move(event->point), std::move(event->features), event->took_s});
    } else if (!conclude(evaluation_of(*std::move(event)), on_evaluation)) {
      result_.end = TuneEnd::kStopped;
      break;
    }
  }
  return std::move(result_);
}

}  // namespace ws::tune
