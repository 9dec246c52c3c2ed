#include "runtime/tune/random_order.h"

#include <numeric>
#include <utility>

namespace ws::tune {
namespace {

/// Draws that have come before, in a row, after which there is taken to be no other.
constexpr int kMaxRepeats = 1000;

}  // namespace

RandomOrder::RandomOrder(Space& space, std::uint64_t seed)
    : space_(space),
      random_(seed),
      order_(space.points().size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  for (std::size_t i = order_.size(); i > 1; --i) {
    std::swap(order_[i - 1], order_[pick(random_, i)]);
  }
}

std::optional<Point> RandomOrder::ask() {
  if (space_.listed()) {
    return next_ < order_.size() ? std::optional<Point>(space_.points()[order_[next_++]])
                                 : std::nullopt;
  }
  for (int tries = 0; tries < kMaxRepeats; ++tries) {
    std::optional<Point> point = space_.draw(random_);
    if (!point || drawn_.insert(*point).second) {
      return point;
    }
  }
  return std::nullopt;
}

void RandomOrder::tell(const Point& /*point*/, const Features& /*features*/, double /*score*/) {}

}  // namespace ws::tune
