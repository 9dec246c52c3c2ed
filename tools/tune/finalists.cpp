#include "tools/tune/finalists.h"

#include <algorithm>
#include <limits>

#include "runtime/tune/race.h"
#include "runtime/tune/space.h"
#include "tools/tune/finals.h"

namespace ws {
namespace {

/// A point that was timed in full and is so much slower than the best may still be as fast.
constexpr double kFinalistMargin = 1.05;
constexpr std::size_t kSample = 2;
constexpr double kLeastFinalLaunches = 25;  // Ten blocks of two, and the warm-up.
constexpr double kLeastDuelS = 0.3;
constexpr double kUsPerS = 1e6;

}  // namespace

std::vector<const tune::Evaluation*> finalists_of(const tune::TuneResult& found,
                                                  std::size_t workloads, double budget_s) {
  const auto all = static_cast<std::size_t>(tune::race_stages().back().samples);
  std::vector<const tune::Evaluation*> finalists;
  const double best =
      found.best ? found.evaluations[*found.best].us : std::numeric_limits<double>::infinity();
  for (const tune::Evaluation& evaluation : found.evaluations) {
    const bool close = evaluation.samples.size() >= all && evaluation.us <= best * kFinalistMargin;
    if (evaluation.fate == tune::Fate::kGood && close) {
      finalists.push_back(&evaluation);
    }
  }
  std::stable_sort(
      finalists.begin(), finalists.end(),
      [](const tune::Evaluation* a, const tune::Evaluation* b) { return a->us < b->us; });
  // The final comparisons have a least length, which a slow kernel makes long: fewer then.
  const double duel_s = kLeastFinalLaunches * best * static_cast<double>(workloads) / kUsPerS;
  const auto most = static_cast<std::size_t>(std::clamp(budget_s / std::max(duel_s, kLeastDuelS),
                                                        1.0, static_cast<double>(kMaxFinalists)));
  finalists.resize(std::min(finalists.size(), most));
  return finalists;
}

std::vector<const tune::Evaluation*> sample_of(
    const tune::TuneResult& found, const std::vector<const tune::Evaluation*>& finalists,
    std::uint64_t secret) {
  std::vector<const tune::Evaluation*> others;
  for (const tune::Evaluation& evaluation : found.evaluations) {
    const bool known =
        std::find(finalists.begin(), finalists.end(), &evaluation) != finalists.end();
    if (evaluation.fate == tune::Fate::kGood && !evaluation.verified && !known) {
      others.push_back(&evaluation);
    }
  }
  tune::Random random(secret);
  std::vector<const tune::Evaluation*> sample;
  while (sample.size() < kSample && !others.empty()) {
    const std::size_t at = tune::pick(random, others.size());
    sample.push_back(others[at]);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return sample;
}

}  // namespace ws
