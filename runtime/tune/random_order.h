// exhaustive and random: every point once, in random order.
#pragma once

#include <set>

#include "runtime/tune/strategy.h"

namespace ws::tune {

/// In a space that is not listed: draws that have not come before, until none is found.
class RandomOrder : public Strategy {
 public:
  RandomOrder(Space& space, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;

 private:
  Space& space_;
  Random random_;
  std::vector<std::uint32_t> order_;  ///< The order of a listed space: indices into its points.
  std::size_t next_ = 0;
  std::set<Point> drawn_;  ///< The points drawn from a space that is not listed.
};

}  // namespace ws::tune
