#include <algorithm>
#include <iterator>

#include "runtime/tune/evolution.h"
#include "runtime/tune/genetic.h"
#include "runtime/tune/greedy.h"
#include "runtime/tune/portfolio.h"
#include "runtime/tune/random_order.h"
#include "runtime/tune/strategy.h"
#include "runtime/tune/surrogate.h"

namespace ws::tune {
namespace {

template <typename S>
std::unique_ptr<Strategy> make(Space& space, std::uint64_t seed) {
  return std::make_unique<S>(space, seed);
}

/// The shares are what replays of recorded spaces favoured (docs/measurements/0007-tune.md).
std::unique_ptr<Strategy> make_portfolio(Space& space, std::uint64_t seed) {
  std::vector<Portfolio::Member> members;
  members.push_back({std::make_unique<Surrogate>(space, seed), 0.6});
  members.push_back({std::make_unique<Greedy>(space, seed + 1), 0.2});
  members.push_back({std::make_unique<Evolution>(space, seed + 2), 0.2});
  return std::make_unique<Portfolio>(std::move(members), seed + 3);
}

struct NamedStrategy {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(Space& space, std::uint64_t seed);
};

constexpr NamedStrategy kRows[] = {
    {"portfolio", &make_portfolio},  {"exhaustive", &make<RandomOrder>},
    {"random", &make<RandomOrder>},  {"greedy", &make<Greedy>},
    {"genetic", &make<Genetic>},     {"evolution", &make<Evolution>},
    {"surrogate", &make<Surrogate>},
};

}  // namespace

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const NamedStrategy& row : kRows) {
    names.push_back(row.name);
  }
  return names;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, Space& space,
                                                std::uint64_t seed) {
  const auto* const row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const NamedStrategy& each) { return each.name == name; });
  if (row == std::end(kRows)) {
    return fail(ErrorCode::kInvalidArgument, "no strategy `" + std::string(name) + "`");
  }
  if (name == "exhaustive" && !space.listed()) {
    return fail(ErrorCode::kInvalidArgument,
                "the search space has " + std::to_string(space.total()) +
                    " points; `exhaustive` takes at most " + std::to_string(kMaxListedPoints),
                "use strategy `portfolio`, or list fewer values");
  }
  return row->make(space, seed);
}

}  // namespace ws::tune
