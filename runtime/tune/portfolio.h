// portfolio: several strategies share what is measured and take turns; who finds improvements gets
// more turns.
#pragma once

#include <map>

#include "runtime/tune/strategy.h"

namespace ws::tune {

class Portfolio : public Strategy {
 public:
  struct Member {
    std::unique_ptr<Strategy> strategy;
    double share = 1;  ///< The share of the turns at the start.
  };

  /// @param members  At least one; the first orders the queue.
  Portfolio(std::vector<Member> members, std::uint64_t seed);

  std::optional<Point> ask() override;
  void tell(const Point& point, const Features& features, double score) override;
  [[nodiscard]] double promise(const Point& point, const Features& features) const override;

 private:
  std::vector<Member> members_;
  std::vector<double> credit_;
  std::map<Point, std::size_t> asked_by_;
  Random random_;
  double best_ = kUnusable;
};

}  // namespace ws::tune
