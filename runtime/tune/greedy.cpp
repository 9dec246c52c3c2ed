#include "runtime/tune/greedy.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ws::tune {
namespace {

constexpr double kWalkShare = 0.3;
constexpr int kPatience = 50;

}  // namespace

Greedy::Greedy(Space& space, std::uint64_t seed)
    : space_(space),
      random_(seed) {}

/// Its neighbours axis by axis, the axes and the values of each in random order.
void Greedy::climb_from(const Point& point) {
  neighbours_.clear();
  awaited_.clear();
  std::vector<std::size_t> axes(space_.axes().size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  for (std::size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[pick(random_, i)]);
  }
  for (const std::size_t axis : axes) {
    const std::size_t from = neighbours_.size();
    Point other = point;
    for (std::uint32_t value = 0; value < space_.axes()[axis].values.size(); ++value) {
      other[axis] = value;
      if (value != point[axis] && space_.holds(other)) {
        neighbours_.push_back(other);
      }
    }
    for (std::size_t i = neighbours_.size(); i > from + 1; --i) {
      std::swap(neighbours_[i - 1], neighbours_[from + pick(random_, i - from)]);
    }
  }
}

void Greedy::stand_on(const Point& point, double score) {
  base_ = point;
  base_score_ = score;
  climb_from(point);
}

/// The base is a local optimum.
void Greedy::leave() {
  stuck_ = *base_score_ < best_ ? 0 : stuck_ + 1;
  best_ = std::min(best_, *base_score_);
  std::optional<Point> next = *base_;
  if (stuck_ >= kPatience) {
    next = space_.draw(random_);
  } else {
    const auto steps = static_cast<std::size_t>(kWalkShare * static_cast<double>(next->size()));
    for (std::size_t i = 0; i < std::max<std::size_t>(steps, 1); ++i) {
      const std::vector<Point> near = space_.neighbours(*next);
      next = near.empty() ? space_.draw(random_) : near[pick(random_, near.size())];
      if (!next) {
        break;
      }
    }
  }
  base_ = std::move(next);
  base_score_.reset();
  neighbours_.clear();
  awaited_.clear();
}

std::optional<Point> Greedy::ask() {
  if (!base_) {
    base_ = space_.draw(random_);
    return base_;
  }
  if (!base_score_) {
    const auto known = scores_.find(*base_);
    if (known == scores_.end()) {
      return awaited_.insert(*base_).second ? base_ : std::nullopt;
    }
    stand_on(*base_, known->second);
  }
  if (!neighbours_.empty()) {
    Point next = std::move(neighbours_.back());
    neighbours_.pop_back();
    awaited_.insert(next);
    return next;
  }
  if (!awaited_.empty()) {
    return std::nullopt;
  }
  leave();
  if (base_) {
    awaited_.insert(*base_);
  }
  return base_;
}

void Greedy::tell(const Point& point, const Features& /*features*/, double score) {
  scores_[point] = score;
  // A point that others found is worth a climb only when it is a record.
  const bool matters = awaited_.erase(point) > 0 || score < record_;
  record_ = std::min(record_, score);
  if (base_ && point == *base_) {
    if (!base_score_) {
      stand_on(point, score);
    }
  } else if (matters && base_score_ && score < *base_score_) {
    stand_on(point, score);
  }
}

}  // namespace ws::tune
