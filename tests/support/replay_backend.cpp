#include "tests/support/replay_backend.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/tune/race.h"

namespace ws::tune {
namespace {

constexpr std::size_t kSerialSamples = 7;

LabEvent event_of(const Point& point, bool trial) {
  LabEvent event;
  event.point = point;
  event.trial = trial;
  return event;
}

}  // namespace

ReplayEvaluationBackend::ReplayEvaluationBackend(const Recording& recording, ReplayOptions options)
    : recording_(recording),
      options_(options) {}

Status ReplayEvaluationBackend::begin_build(const Point& point) {
  const RecordedPoint& recorded = recording_.points.at(point);
  LabEvent event = event_of(point, false);
  if (!recorded.valid) {
    event.fate = Fate::kFailed;
    event.verdict = Verdict::kInvalid;
    event.message = "the recording has no time of it";
  }
  event.took_s = recorded.compile_s;
  pending_.push_back({now_s_ + recorded.compile_s, std::move(event)});
  return {};
}

Result<ReplayEvaluationBackend::Pending> ReplayEvaluationBackend::try_serially(
    const Point& point, const RecordedPoint& recorded) const {
  const std::size_t count = std::min(kSerialSamples, recorded.us.size());
  const auto end = recorded.us.begin() + static_cast<std::ptrdiff_t>(count);
  const double sum = std::accumulate(recorded.us.begin(), end, 0.0);
  const auto samples = static_cast<double>(count);
  LabEvent event = event_of(point, true);
  event.us = sum / samples;
  event.samples.assign(recorded.us.begin(), end);
  event.verified = true;
  event.took_s = recorded.verify_s + samples * recorded.sample_s;
  const double at_s = now_s_ + event.took_s;
  return Pending{at_s, std::move(event)};
}

Result<ReplayEvaluationBackend::Pending> ReplayEvaluationBackend::try_racing(
    const Point& point, const RecordedPoint& recorded, const std::vector<double>& best) const {
  std::size_t taken = 1;  // One to warm up.
  const auto sample = [&]() -> Result<double> { return recorded.us[taken++ % recorded.us.size()]; };
  WS_TRY(RaceResult result, race(sample, best));
  LabEvent event = event_of(point, true);
  event.us = result.us;
  event.samples = std::move(result.samples);
  event.verified = result.finished;
  event.took_s =
      static_cast<double>(taken) * recorded.sample_s + (result.finished ? recorded.verify_s : 0);
  const double at_s = now_s_ + event.took_s;
  return Pending{at_s, std::move(event)};
}

Status ReplayEvaluationBackend::begin_trial(const Point& point, const std::vector<double>& best) {
  const RecordedPoint& recorded = recording_.points.at(point);
  WS_TRY(Pending pending,
         options_.serial ? try_serially(point, recorded) : try_racing(point, recorded, best));
  pending_.push_back(std::move(pending));
  return {};
}

Result<std::optional<LabEvent>> ReplayEvaluationBackend::next(double until_s) {
  const auto first =
      std::min_element(pending_.begin(), pending_.end(),
                       [](const Pending& a, const Pending& b) { return a.at_s < b.at_s; });
  if (first == pending_.end()) {
    return fail(ErrorCode::kInternal, "nothing was begun");
  }
  if (first->at_s > until_s) {
    now_s_ = until_s;
    return std::optional<LabEvent>();
  }
  now_s_ = first->at_s;
  std::optional<LabEvent> event = std::move(first->event);
  pending_.erase(first);
  return event;
}

}  // namespace ws::tune
