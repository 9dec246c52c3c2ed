// The order in which workers run, engines finish and blocks start: all by rule or by seed, so that
// every run can be repeated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ws::ir {

enum class WorkerOrder : std::uint8_t { kInTurn, kReverse, kStarveOne, kRandom };

/// When an asynchronous operation happens: when it is started; when nobody can go on without it; or
/// at any time.
enum class Completion : std::uint8_t { kEarly, kLate, kRandom };

enum class BlockOrder : std::uint8_t { kForward, kBackward, kShuffled };

struct Schedule {
  WorkerOrder workers = WorkerOrder::kInTurn;
  Completion completion = Completion::kEarly;
  BlockOrder blocks = BlockOrder::kForward;
  std::size_t starved = 0;  ///< kStarveOne: which role, by order of binding.
  std::uint64_t seed = 0;

  /// "in turn, early", "random, random, seed 3".
  [[nodiscard]] std::string name() const;
};

/// In turn with early and late completion, in reverse, each of three roles starved once, and eight
/// random ones.
std::vector<Schedule> default_schedules();

/// The blocks of a grid in the schedule's order.
std::vector<std::int64_t> block_order(const Schedule& schedule, std::int64_t count);

/// As block_order(), for a grid of which a schedule before ran every block: of more than `most`
/// blocks only the corners of the grid, at most eight, and some that the schedule's seed draws.
std::vector<std::int64_t> blocks_again(const Schedule& schedule,
                                       const std::array<std::int64_t, 3>& size, std::size_t most);

/// SplitMix64: the next of a reproducible sequence.
std::uint64_t next_random(std::uint64_t& state);

}  // namespace ws::ir
