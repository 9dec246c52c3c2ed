#include "runtime/tune/evolution.h"

#include <algorithm>
#include <utility>

namespace ws::tune {
namespace {

constexpr std::size_t kPopulation = 16;
/// Random points before the first child: fewer show too little of the space.
constexpr std::size_t kFirst = 12;
constexpr std::size_t kTournament = 3;
constexpr int kMaxTries = 64;

}  // namespace

Evolution::Evolution(Space& space, std::uint64_t seed)
    : space_(space),
      random_(seed) {}

const Evolution::Member& Evolution::tournament() {
  std::size_t best = population_.size() - 1;
  for (std::size_t i = 0; i < kTournament; ++i) {
    best = std::min(best, pick(random_, population_.size()));
  }
  return population_[best];
}

std::optional<Point> Evolution::breed() {
  Point child = tournament().point;
  const Point& other = tournament().point;
  for (std::size_t i = 0; i < child.size(); ++i) {
    child[i] = pick(random_, 2) == 0 ? child[i] : other[i];
  }
  if (pick(random_, 4) != 0) {
    const std::size_t axis = pick(random_, child.size());
    const auto count = static_cast<std::uint32_t>(space_.axes()[axis].values.size());
    const bool beside = pick(random_, 2) == 0;
    const std::uint32_t up = std::min(child[axis] + 1, count - 1);
    const std::uint32_t down = child[axis] == 0 ? 0 : child[axis] - 1;
    child[axis] = beside ? (pick(random_, 2) == 0 ? up : down)
                         : static_cast<std::uint32_t>(pick(random_, count));
  }
  return space_.holds(child) ? std::optional<Point>(std::move(child)) : std::nullopt;
}

std::optional<Point> Evolution::ask() {
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const bool random = told_ < kFirst || population_.size() < 2 || tries > kMaxTries / 2;
    std::optional<Point> point = random ? space_.draw(random_) : breed();
    if (!point) {
      continue;
    }
    const auto at = std::lower_bound(asked_.begin(), asked_.end(), *point);
    if (at == asked_.end() || *at != *point) {
      asked_.insert(at, *point);
      return point;
    }
  }
  return std::nullopt;
}

void Evolution::tell(const Point& point, const Features& /*features*/, double score) {
  ++told_;
  const auto known = std::lower_bound(asked_.begin(), asked_.end(), point);
  if (known == asked_.end() || *known != point) {
    asked_.insert(known, point);
  }
  if (score == kUnusable) {
    return;
  }
  const auto at =
      std::upper_bound(population_.begin(), population_.end(), score,
                       [](double value, const Member& member) { return value < member.score; });
  population_.insert(at, {point, score});
  population_.resize(std::min(population_.size(), kPopulation));
}

}  // namespace ws::tune
