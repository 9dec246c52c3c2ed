// genetic: generations, each of which waits for the one before.
#pragma once

#include <map>
#include <set>

#include "runtime/tune/strategy.h"

namespace ws::tune {

/// With the defaults of Kernel Tuner's genetic_algorithm: twenty points, uniform crossover, parents
/// by rank from a beta distribution (1, 2.5), one of twenty children mutated to a neighbour.
///
/// @source  Kernel Tuner 1.4, strategy genetic_algorithm, as described there.
class Genetic : public Strategy {
 public:
  Genetic(Space& space, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;

 private:
  void draw_first();
  void breed();
  Point child_of(const Point& a, const Point& b);

  Space& space_;
  Random random_;
  std::vector<Point> generation_;
  std::size_t next_ = 0;            ///< The next one of the generation to be asked for.
  std::set<Point> awaited_;         ///< Points of the generation whose results are not here yet.
  std::map<Point, double> scores_;  ///< All scores that were reported.
};

}  // namespace ws::tune
