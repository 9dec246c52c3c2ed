// evolution: an evolutionary search without generations. Each result counts as soon as it is there,
// and a child can be bred at any time: nobody waits.
#pragma once

#include "runtime/tune/strategy.h"

namespace ws::tune {

/// A population of the best that are known; parents by tournament, children by uniform crossover
/// and a mutation of one axis, half of the time to a value beside it. What was asked for before is
/// not asked for again.
class Evolution : public Strategy {
 public:
  Evolution(Space& space, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;

 private:
  struct Member {
    Point point;
    double score = kUnusable;
  };

  const Member& tournament();
  std::optional<Point> breed();

  Space& space_;
  Random random_;
  std::vector<Member> population_;  ///< Best first.
  std::size_t told_ = 0;
  std::vector<Point> asked_;  ///< Sorted.
};

}  // namespace ws::tune
