// A barrier of a block by its number: `bar.sync 1, 64` of PTX, and the two halves of a barrier that
// threads arrive at before they wait. Not all threads of the block need to take part.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cpu/turn_set.h"

namespace ws::cpu {

class NamedBarrier {
 public:
  /// For a block of `threads`, none of which has arrived.
  void start(std::size_t threads) {
    waiting_.start(threads);
    phase_ = 0;
    arrived_ = 0;
    trues_ = 0;
  }

  /// @param wanted  Threads that the present phase waits for; 0: all that have not ended.
  /// @return The phase.
  std::uint32_t arrive(std::uint32_t wanted, bool predicate) {
    wanted_ = wanted;
    trues_ += predicate ? 1 : 0;
    ++arrived_;
    return phase_;
  }

  [[nodiscard]] bool complete(std::size_t live) const {
    return arrived_ != 0 && arrived_ >= (wanted_ == 0 ? live : wanted_);
  }

  [[nodiscard]] bool is_over(std::uint32_t phase) const { return phase != phase_; }

  void wait(std::size_t turn) { waiting_.add(turn); }

  /// Lets those that wait go on, and begins the next phase.
  void release(TurnSet& ready) {
    result_ = trues_;
    arrived_ = 0;
    trues_ = 0;
    ++phase_;
    ready.take(waiting_);
  }

  /// The predicates that were true in the last phase.
  [[nodiscard]] std::uint32_t result() const { return result_; }

 private:
  TurnSet waiting_;
  std::uint32_t phase_ = 0;
  std::uint32_t wanted_ = 0;
  std::uint32_t arrived_ = 0;
  std::uint32_t trues_ = 0;
  std::uint32_t result_ = 0;
};

}  // namespace ws::cpu
