#include "runtime/ir/exec/schedule.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "runtime/base/mix64.h"

namespace ws::ir {

std::string Schedule::name() const {
  constexpr std::array<const char*, 4> orders = {"in turn", "reverse", "starved", "random"};
  constexpr std::array<const char*, 3> completions = {"early", "late", "random"};
  std::string text = orders.at(static_cast<std::size_t>(workers));
  text += workers == WorkerOrder::kStarveOne ? " " + std::to_string(starved) : "";
  text += std::string(", ") + completions.at(static_cast<std::size_t>(completion));
  return seed == 0 ? text : text + ", seed " + std::to_string(seed);
}

std::vector<Schedule> default_schedules() {
  constexpr std::size_t starved = 3;
  constexpr std::uint64_t random = 8;
  std::vector<Schedule> schedules = {
      {WorkerOrder::kInTurn, Completion::kEarly, BlockOrder::kForward, 0, 0},
      {WorkerOrder::kInTurn, Completion::kLate, BlockOrder::kBackward, 0, 0},
      {WorkerOrder::kReverse, Completion::kLate, BlockOrder::kForward, 0, 0},
  };
  for (std::size_t i = 0; i < starved; ++i) {
    schedules.push_back({WorkerOrder::kStarveOne, Completion::kLate, BlockOrder::kBackward, i, 0});
  }
  for (std::uint64_t seed = 1; seed <= random; ++seed) {
    schedules.push_back(
        {WorkerOrder::kRandom, Completion::kRandom, BlockOrder::kShuffled, 0, seed});
  }
  return schedules;
}

std::vector<std::int64_t> block_order(const Schedule& schedule, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (schedule.blocks == BlockOrder::kBackward) {
    std::reverse(order.begin(), order.end());
  } else if (schedule.blocks == BlockOrder::kShuffled) {
    std::uint64_t state = schedule.seed;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[next_random(state) % i]);
    }
  }
  return order;
}

std::uint64_t next_random(std::uint64_t& state) {
  const std::uint64_t number = mix64(state);
  state += kMixStep;
  return number;
}

}  // namespace ws::ir
