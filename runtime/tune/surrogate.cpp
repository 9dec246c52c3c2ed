#include "runtime/tune/surrogate.h"

#include <algorithm>
#include <cmath>

namespace ws::tune {
namespace {

/// Random points before the first model.
constexpr std::size_t kLeastRows = 12;
/// The model is rebuilt when there is so much more to learn from.
constexpr double kGrowth = 1.08;
/// The share of proposals from around the best point that has some value of some axis, however
/// slow.
constexpr double kNicheShare = 0.4;
constexpr std::size_t kElite = 6;  // Points whose neighbours are candidates.
constexpr std::size_t kRandomCandidates = 64;
constexpr std::size_t kMaxCandidates = 600;
constexpr double kBoldness = 1.5;  // Mean of the spread's multiple.
constexpr int kMaxSteps = 64;

}  // namespace

Surrogate::Surrogate(Space& space, std::uint64_t seed)
    : space_(space),
      random_(seed) {}

std::vector<double> Surrogate::inputs(const Point& point) const {
  return {point.begin(), point.end()};
}

void Surrogate::learn() {
  double best = kUnusable;
  for (const Row& row : rows_) {
    best = std::min(best, row.score);
  }
  std::vector<std::vector<double>> axes;
  std::vector<std::vector<double>> all;
  std::vector<double> values;
  std::vector<double> all_values;
  for (const Row& row : rows_) {
    // Speed, not time: among the fast ones small differences count, among the slow ones none do.
    const double value = row.score == kUnusable ? 0 : -best / row.score;
    axes.push_back(inputs(row.point));
    values.push_back(value);
    // A point that did not compile has no features, and is never in the queue.
    if (!row.features.empty() &&
        (all.empty() || all.front().size() == row.point.size() + row.features.size())) {
      all.push_back(axes.back());
      all.back().insert(all.back().end(), row.features.begin(), row.features.end());
      all_values.push_back(value);
    }
  }
  proposing_.grow(axes, values, random_());
  if (!all.empty()) {
    ordering_.grow(all, all_values, random_());
  }
  learnt_ = rows_.size();
}

/// The neighbours of the best point with a value of an axis, both drawn, that have it too.
std::vector<Point> Surrogate::niche() {
  std::size_t axis = pick(random_, space_.axes().size());
  for (int tries = 0; tries < kMaxSteps && space_.axes()[axis].values.size() < 2; ++tries) {
    axis = pick(random_, space_.axes().size());
  }
  const std::size_t value = pick(random_, space_.axes()[axis].values.size());
  const Row* best = nullptr;
  for (const Row& row : rows_) {
    const bool better = best == nullptr || row.score < best->score;
    if (row.point[axis] == value && row.score != kUnusable && better) {
      best = &row;
    }
  }
  std::vector<Point> found;
  if (best != nullptr) {
    for (Point& point : space_.neighbours(best->point)) {
      if (point[axis] == value && !asked_.contains(point)) {
        found.push_back(std::move(point));
      }
    }
  }
  return found;
}

std::vector<Point> Surrogate::candidates() {
  if (pick_share(random_) < kNicheShare) {
    if (std::vector<Point> found = niche(); !found.empty()) {
      return found;
    }
  }
  std::vector<const Row*> best;
  for (const Row& row : rows_) {
    if (row.score != kUnusable) {
      best.push_back(&row);
    }
  }
  const std::size_t elite = std::min(kElite, best.size());
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(elite), best.end(),
                    [](const Row* a, const Row* b) { return a->score < b->score; });
  std::vector<Point> found;
  for (std::size_t i = 0; i < elite; ++i) {
    for (Point& point : space_.neighbours(best[i]->point)) {
      if (!asked_.contains(point) && found.size() < kMaxCandidates) {
        found.push_back(std::move(point));
      }
    }
  }
  for (std::size_t i = 0; i < kRandomCandidates; ++i) {
    std::optional<Point> point = space_.draw(random_);
    if (point && !asked_.contains(*point)) {
      found.push_back(*std::move(point));
    }
  }
  return found;
}

std::optional<Point> Surrogate::ask() {
  if (rows_.size() >= kLeastRows &&
      static_cast<double>(rows_.size()) >= kGrowth * static_cast<double>(learnt_)) {
    learn();
  }
  std::optional<Point> chosen;
  if (proposing_.grown()) {
    const double boldness = -kBoldness * std::log(1 - pick_share(random_));
    double best = kUnusable;
    for (Point& point : candidates()) {
      const Forest::Guess guess = proposing_.guess(inputs(point));
      const double value = guess.mean - boldness * guess.spread;
      if (value < best) {
        best = value;
        chosen = std::move(point);
      }
    }
  }
  for (int tries = 0; !chosen && tries < kMaxSteps; ++tries) {
    chosen = space_.draw(random_);
    if (chosen && asked_.contains(*chosen)) {
      chosen.reset();
    }
  }
  if (chosen) {
    asked_.insert(*chosen);
  }
  return chosen;
}

void Surrogate::tell(const Point& point, const Features& features, double score) {
  asked_.insert(point);
  rows_.push_back({point, features, score});
}

double Surrogate::promise(const Point& point, const Features& features) const {
  if (!ordering_.grown() || features.empty()) {
    return proposing_.grown() ? -proposing_.guess(inputs(point)).mean : 0;
  }
  std::vector<double> row = inputs(point);
  row.insert(row.end(), features.begin(), features.end());
  return -ordering_.guess(row).mean;
}

}  // namespace ws::tune
