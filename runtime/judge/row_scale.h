// The usual size of a reference's values, by which errors are measured (tolerance.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/judge/tolerance.h"

namespace ws {

/// Root mean square of the finite values; scaled on the way, so that f64 squares cannot overflow.
class ScaleSum {
 public:
  void add(std::span<const double> values);
  void add(const ScaleSum& other);

  [[nodiscard]] double rms() const;

  [[nodiscard]] double largest() const { return largest_; }

  [[nodiscard]] bool mostly_zeros() const { return 2 * zeros_ > count_; }

 private:
  double largest_ = 0;
  double sum_ = 0;  ///< The sum of squares over largest_^2.
  double count_ = 0;
  double zeros_ = 0;
};

/// The scale that the elements of a row are measured by.
struct RowScale {
  double usual = 0;   ///< The scale of tolerance.h.
  double hidden = 0;  ///< Allowed besides: rounding of sums whose size the row does not show.
};

/// The scale of a row whose values are `own`.
/// @param columns  The number of its elements.
/// @param whole    Gives the sum over the whole output; called only where it is needed.
template <typename Whole>
RowScale scale_of_row(const ScaleSum& own, std::int64_t columns, const ErrorBound& bound,
                      Whole&& whole) {
  const bool telling = columns >= kTellingElements && own.rms() > 0;
  RowScale scale{.usual = telling ? own.rms() : whole().rms()};
  scale.usual = std::max(scale.usual, bound.lone);
  if (bound.sum > 0 && own.mostly_zeros()) {
    scale.hidden = bound.sum * whole().largest();
  }
  return scale;
}

}  // namespace ws
