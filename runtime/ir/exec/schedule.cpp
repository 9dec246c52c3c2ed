#include "runtime/ir/exec/schedule.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

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

std::vector<std::int64_t> blocks_again(const Schedule& schedule,
                                       const std::array<std::int64_t, 3>& size, std::size_t most) {
  const std::int64_t count = size[0] * size[1] * size[2];
  std::vector<std::int64_t> order = block_order(schedule, count);
  if (order.size() <= most) {
    return order;
  }
  std::set<std::int64_t> chosen;
  for (const std::int64_t z : {std::int64_t{0}, size[2] - 1}) {
    for (const std::int64_t y : {std::int64_t{0}, size[1] - 1}) {
      for (const std::int64_t x : {std::int64_t{0}, size[0] - 1}) {
        chosen.insert(x + size[0] * (y + size[1] * z));
      }
    }
  }
  std::uint64_t state = schedule.seed;
  while (chosen.size() < most) {
    chosen.insert(static_cast<std::int64_t>(next_random(state) % order.size()));
  }
  std::erase_if(order, [&](std::int64_t block) { return !chosen.contains(block); });
  return order;
}

std::uint64_t next_random(std::uint64_t& state) {
  const std::uint64_t number = mix64(state);
  state += kMixStep;
  return number;
}

}  // namespace ws::ir
