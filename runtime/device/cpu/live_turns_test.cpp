#include "runtime/device/cpu/live_turns.h"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace ws::cpu {
namespace {

/// A launch on one OS thread, as BlockWorker runs it: block i is the i-th to begin.
class Simulation {
 public:
  explicit Simulation(std::size_t blocks)
      : ended(blocks, false),
        turns_(blocks) {}

  /// `go_on(block)` says how far the block comes. @return  Its calls until all blocks have ended.
  template <typename GoOn>
  std::size_t run(GoOn go_on) {
    std::size_t steps = 0;
    while (begun_ < ended.size() || turns_.any_lives()) {
      if (waiting_ == ended.size()) {
        waiting_ = 0;
        turns_.pass();
      }
      const bool moved = turns_.turn([&](std::size_t place) {
        ++steps;
        const Progress progress = go_on(block_at_[place]);
        waiting_ += progress == Progress::kAtGridBarrier ? 1 : 0;
        ended[block_at_[place]] = progress == Progress::kEnded;
        return progress;
      });
      for (std::size_t i = turns_.wanted(); !moved && i > 0 && begun_ < ended.size(); --i) {
        block_at_.resize(ended.size());
        block_at_[*turns_.free_place()] = begun_++;
        turns_.begin();
      }
    }
    return steps;
  }

  std::vector<bool> ended;  ///< By block.

 private:
  LiveTurns turns_;
  std::vector<std::size_t> block_at_;
  std::size_t begun_ = 0;
  std::size_t waiting_ = 0;
};

constexpr std::size_t kBlocks = 2000;

}  // namespace

TEST_SUITE("device.cpu.grid") {
  TEST_CASE("each block of a cooperative launch goes on once for each barrier") {
    Simulation simulation(kBlocks);
    std::vector<int> passed(kBlocks);
    const std::size_t steps = simulation.run([&](std::size_t block) {
      return passed[block]++ < 3 ? Progress::kAtGridBarrier : Progress::kEnded;
    });
    CHECK(steps == 4 * kBlocks);
  }

  TEST_CASE("blocks that wait for the last one look a few times each") {
    Simulation simulation(kBlocks);
    const std::size_t steps = simulation.run([&](std::size_t block) {
      const bool there = block + 1 == kBlocks || simulation.ended[kBlocks - 1];
      return there ? Progress::kEnded : Progress::kHeld;
    });
    CHECK(steps < 4 * kBlocks);
  }

  TEST_CASE("blocks that wait for their neighbours look a few times each") {
    for (const bool next : {true, false}) {
      Simulation simulation(kBlocks);
      const std::size_t steps = simulation.run([&](std::size_t block) {
        const bool there = next ? block + 1 == kBlocks || simulation.ended[block + 1]
                                : block == 0 || simulation.ended[block - 1];
        return there ? Progress::kEnded : Progress::kHeld;
      });
      CHECK(steps < 8 * kBlocks);
    }
  }

  TEST_CASE("no more blocks begin than are needed") {
    LiveTurns turns(3);
    CHECK(*turns.free_place() == 0);
    turns.begin();
    CHECK(turns.wanted() == 1);
    CHECK_FALSE(turns.turn([](std::size_t) { return Progress::kHeld; }));
    turns.begin();
    CHECK(turns.wanted() == 2);
    turns.begin();
    CHECK_FALSE(turns.free_place().has_value());
    CHECK(turns.turn([](std::size_t place) {
      return place == 1 ? Progress::kEnded : Progress::kAtGridBarrier;
    }));
    CHECK(*turns.free_place() == 1);
    CHECK_FALSE(turns.any_looks());
    CHECK(turns.any_waits());
    CHECK(turns.wanted() == 1);
  }
}

}  // namespace ws::cpu
