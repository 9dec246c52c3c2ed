// Which of the blocks that live at the same time on one OS thread goes on next. Each block goes on
// only when it may get further, so that the work grows with the number of blocks, not its square.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/device/cpu/block_runner.h"

namespace ws::cpu {

class LiveTurns {
 public:
  /// @param most  So many blocks may live; each has a place below that.
  explicit LiveTurns(std::size_t most) {
    for (std::size_t place = most; place > 0; --place) {
      free_.push_back(place - 1);
    }
  }

  /// The place that the next block gets; nothing: there is no room for one.
  [[nodiscard]] std::optional<std::size_t> free_place() const {
    return free_.empty() ? std::nullopt : std::optional(free_.back());
  }

  /// A block begins at free_place().
  void begin() {
    ready_.push_back(free_.back());
    free_.pop_back();
  }

  /// Lets each block go on that can: `go_on(place)` says how far it came. The last one goes first
  /// the next time: a chain of blocks, each of which waits for its neighbour, gets on in either
  /// direction.
  /// @return  Some block came further than before.
  template <typename GoOn>
  bool turn(GoOn go_on) {
    std::vector<std::size_t> now;
    now.swap(ready_);
    bool moved = false;
    for (const std::size_t place : now) {
      const Progress progress = go_on(place);
      std::vector<std::size_t>& next = progress == Progress::kEnded  ? free_
                                       : progress == Progress::kHeld ? ready_
                                                                     : waiting_;
      next.push_back(place);
      moved = moved || progress != Progress::kHeld;
    }
    std::ranges::reverse(ready_);
    return moved;
  }

  /// All blocks of the grid have come to the barrier of the whole grid.
  void pass() {
    ready_.insert(ready_.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
  }

  /// As many blocks as live begin when none of them can go on: as each of them looks again after
  /// that, one at a time would be too few.
  [[nodiscard]] std::size_t wanted() const { return std::max<std::size_t>(ready_.size(), 1); }

  [[nodiscard]] bool any_lives() const { return any_looks() || any_waits(); }

  /// Blocks look for what others write.
  [[nodiscard]] bool any_looks() const { return !ready_.empty(); }

  /// Blocks wait for the whole grid.
  [[nodiscard]] bool any_waits() const { return !waiting_.empty(); }

  /// The place of one of those.
  [[nodiscard]] std::size_t waiting() const { return waiting_.front(); }

 private:
  std::vector<std::size_t> free_;
  std::vector<std::size_t> ready_;    ///< They go on in this order.
  std::vector<std::size_t> waiting_;  ///< For the whole grid.
};

}  // namespace ws::cpu
