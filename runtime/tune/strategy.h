// A strategy proposes the next point to try. It is asked whenever there is room for one more, and
// gets the outcome of each point in the order in which they end: some strategies wait for all their
// points (genetic), others never wait. The scheduler in tuner.h asks, so that the same strategies
// run live and in replay.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tune/space.h"

namespace ws::tune {

/// The score of a point that cannot run or gives wrong results.
inline constexpr double kUnusable = std::numeric_limits<double>::infinity();

/// The facts about a compiled point that are known before it is timed: numbers that a model can
/// split on, the same ones in the same order for all points of a tuning. May be empty.
using Features = std::vector<double>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next point to try, one that holds. Nothing: it waits for results, or has no more.
  virtual std::optional<Point> ask() = 0;

  /// Reports the result of a point, also of one that another strategy asked for. Each point is
  /// reported once; one that this strategy asks for again is reported again.
  /// @param score  Smaller is better, above 0; kUnusable.
  virtual void tell(const Point& point, const Features& features, double score) = 0;

  /// How much a compiled point promises, larger for more: it decides which is timed first.
  [[nodiscard]] virtual double promise(const Point& /*point*/, const Features& /*features*/) const {
    return 0;
  }
};

/// "exhaustive", "random", ...: what make_strategy() takes; the first is the default.
std::vector<std::string_view> strategy_names();

/// @param space  Outlives the strategy. @errors kInvalidArgument: unknown name, or `exhaustive` for
/// a space that is not listed.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, Space& space,
                                                std::uint64_t seed);

}  // namespace ws::tune
