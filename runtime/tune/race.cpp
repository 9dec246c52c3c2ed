#include "runtime/tune/race.h"

#include <algorithm>
#include <iterator>

#include "runtime/bench/statistics.h"

namespace ws::tune {
namespace {

// docs/measurements/0007-tune.md: recorded samples vary by 0.2 to 1.2 %, the first by 6 %.
constexpr RaceStage kStages[] = {{1, 1.3}, {3, 1.05}, {7, 1}};

/// The time of the best after so many samples.
double time_to_beat(const std::vector<double>& best, int samples) {
  const std::size_t count = std::min(best.size(), static_cast<std::size_t>(samples));
  return std::max(median(std::span(best).first(count)), median(best));
}

}  // namespace

std::span<const RaceStage> race_stages() {
  return kStages;
}

Result<RaceResult> race(const std::function<Result<double>()>& sample,
                        const std::vector<double>& best) {
  RaceResult result;
  for (const RaceStage& stage : kStages) {
    while (result.samples.size() < static_cast<std::size_t>(stage.samples)) {
      WS_TRY(const double us, sample());
      result.samples.push_back(us);
    }
    result.us = median(result.samples);
    // While it may still be warming up, its fastest sample says most.
    const bool last = &stage == &std::end(kStages)[-1];
    const double us =
        last ? result.us : *std::min_element(result.samples.begin(), result.samples.end());
    if (!best.empty() && us > stage.margin * time_to_beat(best, stage.samples)) {
      return result;
    }
  }
  result.finished = true;
  return result;
}

}  // namespace ws::tune
