// greedy: climbs from neighbour to neighbour, and starts again from near where it got stuck.
#pragma once

#include <map>
#include <set>

#include "runtime/tune/strategy.h"

namespace ws::tune {

/// Iterated local search with the defaults of Kernel Tuner's greedy_ils: neighbours differ in one
/// axis, the first better one is taken, a walk of 0.3 of the axes leads away from a local optimum,
/// and fifty of them without a new best lead to another place. It hands out the neighbours one by
/// one without waiting for the ones before; with one point under way at a time it is that search.
///
/// @source  Kernel Tuner 1.4, strategies greedy_ils and hillclimbers, as described there.
class Greedy : public Strategy {
 public:
  Greedy(Space& space, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;

 private:
  void climb_from(const Point& point);
  void stand_on(const Point& point, double score);
  void leave();

  Space& space_;
  Random random_;
  std::map<Point, double> scores_;  ///< All scores that were reported.
  std::optional<Point> base_;
  std::optional<double> base_score_;  ///< Nothing: its result is awaited.
  std::vector<Point> neighbours_;     ///< Not yet asked for, last first.
  std::set<Point> awaited_;           ///< Asked for as neighbours of the base.
  double best_ = kUnusable;
  double record_ = kUnusable;  ///< The best score that was reported.
  int stuck_ = 0;              ///< Local optima in a row that were no new best.
};

}  // namespace ws::tune
