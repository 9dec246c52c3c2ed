// The strategy `surrogate`: a model of the measurements proposes the next point, and selects which
// compiled point is timed first.
#pragma once

#include <set>

#include "runtime/tune/forest.h"
#include "runtime/tune/strategy.h"

namespace ws::tune {

/// Two forests on the speed (a failed point has none): one from the axes alone, which proposes, and
/// one that knows the compiled point's features (registers, spills, occupancy) too, which orders
/// the queue. A proposal is the best of many candidates, neighbours of the best known and random
/// points, by the model's mean less a multiple of its spread that is drawn each time: so
/// those that are under way together differ. Some come from around the best point with a value that
/// others left behind: what is slow with most values of other axes may be the fastest with a few.
class Surrogate : public Strategy {
 public:
  Surrogate(Space& space, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;
  [[nodiscard]] double promise(const Point& point, const Features& features) const override;

 private:
  struct Row {
    Point point;
    Features features;
    double score = kUnusable;
  };

  void learn();
  std::vector<Point> candidates();
  std::vector<Point> niche();
  [[nodiscard]] std::vector<double> inputs(const Point& point) const;

  Space& space_;
  Random random_;
  std::vector<Row> rows_;
  std::set<Point> asked_;
  std::size_t learnt_ = 0;  ///< Rows that the forests know.
  Forest proposing_;
  Forest ordering_;
};

}  // namespace ws::tune
