// The search space of a tuning: axes with their values, and which points of them may be tried.
//
// A space of up to kMaxListedPoints points is listed once, so that drawing and asking are look-ups.
// A larger one is never enumerated: points are drawn and thrown away until one holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws::tune {

/// Most points, without constraints, of a space that is listed: a second of evaluating constraints.
inline constexpr std::uint64_t kMaxListedPoints = std::uint64_t{1} << 18U;

/// Draws of a space that is not listed before it is said to have no further point.
inline constexpr std::size_t kMaxDraws = 20'000;

using Random = std::mt19937_64;

/// A number below `count`, which is above 0. The standard fixes the generator's output but not its
/// distributions': the same seed draws the same everywhere.
inline std::size_t pick(Random& random, std::size_t count) {
  return random() % count;
}

/// A number from 0 to below 1.
inline double pick_share(Random& random) {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(random() >> 11U) * kUnit;
}

struct Axis {
  std::string name;
  std::vector<std::int64_t> values;
};

/// For each axis the index of its value.
using Point = std::vector<std::uint32_t>;

class Space {
 public:
  /// Whether the point with these values, one for each axis, may be tried.
  using Holds = std::function<Result<bool>(const std::vector<std::int64_t>& values)>;

  /// @errors kInvalidArgument: no axis, or no point of a listed space holds; those of `holds`.
  static Result<Space> make(std::vector<Axis> axes, Holds holds);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }

  /// Without constraints; saturates.
  [[nodiscard]] std::uint64_t total() const { return total_; }

  /// Every point that holds is in points().
  [[nodiscard]] bool listed() const { return listed_; }

  /// In order, the last axis varying fastest; empty when not listed().
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  /// Points that were looked at and do not hold.
  [[nodiscard]] std::uint64_t excluded() const { return excluded_; }

  /// False also for a point that is outside the axes, or after an error.
  bool holds(const Point& point);

  /// Any point that holds, each as likely; nothing when none was found.
  std::optional<Point> draw(Random& random);

  /// Points that hold and differ in one axis, in order.
  std::vector<Point> neighbours(const Point& point);

  /// The first error of `holds` since the space was made: nothing holds any more.
  [[nodiscard]] const Status& status() const { return status_; }

  [[nodiscard]] std::vector<std::int64_t> values(const Point& point) const;
  [[nodiscard]] Params params(const Point& point) const;
  /// "16,8": the values in the order of the axes.
  [[nodiscard]] std::string key(const Point& point) const;
  /// Nothing when the space lacks a name or a value. Does not look at constraints.
  [[nodiscard]] std::optional<Point> find(const Params& params) const;

 private:
  Space() = default;
  [[nodiscard]] Point point_at(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t index_of(const Point& point) const;

  std::vector<Axis> axes_;
  Holds holds_;
  std::uint64_t total_ = 1;
  bool listed_ = false;
  std::vector<Point> points_;
  std::vector<bool> holding_;  // By index_of(), when listed.
  std::uint64_t excluded_ = 0;
  Status status_;
};

/// The space of a kernel's params: what meets its constraints on all of `workloads`.
/// @errors as Space::make; kInvalidArgument: the kernel has no params, or a constraint is no
/// expression. The space holds copies: both may go.
Result<Space> kernel_space(const Problem& problem, const Kernel& kernel,
                           const std::vector<Workload>& workloads);

}  // namespace ws::tune
