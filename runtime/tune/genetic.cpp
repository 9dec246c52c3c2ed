#include "runtime/tune/genetic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ws::tune {
namespace {

constexpr std::size_t kGeneration = 20;
constexpr std::size_t kMutationChance = 20;  // One child of so many.
/// The limit for breeding one generation: children that are no points of the space, or known, are
/// dropped.
constexpr int kMaxAttempts = 1000;
constexpr double kBeta = 2.5;

}  // namespace

Genetic::Genetic(Space& space, std::uint64_t seed)
    : space_(space),
      random_(seed) {}

void Genetic::draw_first() {
  std::set<Point> drawn;
  for (int tries = 0; tries < kMaxAttempts && drawn.size() < kGeneration; ++tries) {
    if (std::optional<Point> point = space_.draw(random_)) {
      drawn.insert(*std::move(point));
    }
  }
  generation_.assign(drawn.begin(), drawn.end());
}

Point Genetic::child_of(const Point& a, const Point& b) {
  Point child = a;
  for (std::size_t i = 0; i < child.size(); ++i) {
    child[i] = pick(random_, 2) == 0 ? a[i] : b[i];
  }
  if (pick(random_, kMutationChance) == 0 && space_.holds(child)) {
    const std::vector<Point> near = space_.neighbours(child);
    child = near.empty() ? child : near[pick(random_, near.size())];
  }
  return child;
}

void Genetic::breed() {
  std::sort(generation_.begin(), generation_.end(),
            [this](const Point& a, const Point& b) { return scores_[a] < scores_[b]; });
  const std::size_t count = generation_.size();
  // Inverse of the beta distribution (1, b): 1 - (1 - u)^(1/b).
  const auto parent = [&] {
    const double share = 1 - std::pow(1 - pick_share(random_), 1 / kBeta);
    return std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
  };
  std::set<Point> children;
  for (int tries = 0; tries < kMaxAttempts && children.size() < kGeneration; ++tries) {
    const std::size_t a = parent();
    const std::size_t b = parent();
    Point child = child_of(generation_[a], generation_[b]);
    if (a != b && space_.holds(child)) {
      children.insert(std::move(child));
    }
  }
  // Where all are alike there are no children but themselves.
  for (int tries = 0; tries < kMaxAttempts && children.size() < kGeneration; ++tries) {
    if (std::optional<Point> point = space_.draw(random_)) {
      children.insert(*std::move(point));
    }
  }
  generation_.assign(children.begin(), children.end());
}

std::optional<Point> Genetic::ask() {
  if (next_ == generation_.size()) {
    if (!awaited_.empty()) {
      return std::nullopt;
    }
    if (generation_.size() < 2) {
      draw_first();
    } else {
      breed();
    }
    next_ = 0;
    if (generation_.empty()) {
      return std::nullopt;
    }
  }
  const Point& point = generation_[next_++];
  awaited_.insert(point);
  return point;
}

void Genetic::tell(const Point& point, const Features& /*features*/, double score) {
  scores_[point] = score;
  awaited_.erase(point);
}

}  // namespace ws::tune
