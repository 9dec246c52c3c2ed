#include "runtime/tune/space.h"

#include <algorithm>
#include <limits>

namespace ws::tune {

Result<Space> Space::make(std::vector<Axis> axes, Holds holds) {
  Space space;
  space.axes_ = std::move(axes);
  space.holds_ = std::move(holds);
  if (space.axes_.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a search space needs at least one parameter");
  }
  for (const Axis& axis : space.axes_) {
    if (axis.values.empty()) {
      return fail(ErrorCode::kInvalidArgument, "`" + axis.name + "` has no values");
    }
    if (__builtin_mul_overflow(space.total_, std::uint64_t{axis.values.size()}, &space.total_)) {
      space.total_ = std::numeric_limits<std::uint64_t>::max();
      return space;
    }
  }
  if (space.total_ > kMaxListedPoints) {
    return space;
  }
  space.holding_.resize(space.total_);
  for (std::uint64_t i = 0; i < space.total_; ++i) {
    Point point = space.point_at(i);
    WS_TRY(const bool may, space.holds_(space.values(point)));
    space.holding_[i] = may;
    if (may) {
      space.points_.push_back(std::move(point));
    }
  }
  space.listed_ = true;
  space.excluded_ = space.total_ - space.points_.size();
  if (space.points_.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the constraints leave none of the " + std::to_string(space.total_) +
                    " points of the search space",
                "weaken a constraint or list more values");
  }
  return space;
}

Point Space::point_at(std::uint64_t index) const {
  Point point(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::uint64_t count = axes_[i].values.size();
    point[i] = static_cast<std::uint32_t>(index % count);
    index /= count;
  }
  return point;
}

std::uint64_t Space::index_of(const Point& point) const {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    index = index * axes_[i].values.size() + point[i];
  }
  return index;
}

bool Space::holds(const Point& point) {
  if (!status_ || point.size() != axes_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (point[i] >= axes_[i].values.size()) {
      return false;
    }
  }
  if (listed_) {
    return holding_[index_of(point)];
  }
  const Result<bool> may = holds_(values(point));
  if (!may) {
    status_ = fail(may.error());
    return false;
  }
  excluded_ += *may ? 0U : 1U;
  return *may;
}

std::optional<Point> Space::draw(Random& random) {
  if (listed_) {
    return points_[pick(random, points_.size())];
  }
  Point point(axes_.size());
  for (std::size_t tries = 0; tries < kMaxDraws && status_; ++tries) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      point[i] = static_cast<std::uint32_t>(pick(random, axes_[i].values.size()));
    }
    if (holds(point)) {
      return point;
    }
  }
  return std::nullopt;
}

std::vector<Point> Space::neighbours(const Point& point) {
  std::vector<Point> found;
  Point other = point;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    for (std::uint32_t value = 0; value < axes_[i].values.size(); ++value) {
      other[i] = value;
      if (value != point[i] && holds(other)) {
        found.push_back(other);
      }
    }
    other[i] = point[i];
  }
  return found;
}

std::vector<std::int64_t> Space::values(const Point& point) const {
  std::vector<std::int64_t> chosen(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    chosen[i] = axes_[i].values[point[i]];
  }
  return chosen;
}

Params Space::params(const Point& point) const {
  Params params;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    params[axes_[i].name] = axes_[i].values[point[i]];
  }
  return params;
}

std::string Space::key(const Point& point) const {
  std::string text;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(axes_[i].values[point[i]]);
  }
  return text;
}

std::optional<Point> Space::find(const Params& params) const {
  if (params.size() != axes_.size()) {
    return std::nullopt;
  }
  Point point;
  for (const Axis& axis : axes_) {
    const auto given = params.find(axis.name);
    const auto at = given == params.end()
                        ? axis.values.end()
                        : std::find(axis.values.begin(), axis.values.end(), given->second);
    if (at == axis.values.end()) {
      return std::nullopt;
    }
    point.push_back(static_cast<std::uint32_t>(at - axis.values.begin()));
  }
  return point;
}

}  // namespace ws::tune
