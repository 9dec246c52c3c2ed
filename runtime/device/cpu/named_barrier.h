// A barrier of a block by its number: `bar.sync 1, 64` of PTX, and the two halves of a barrier that
// threads arrive at before they wait. Not all threads of the block need to take part.
//
// A GPU counts whole warps: the lanes of a warp that have ended, or that a block of 100 threads
// does not have, count with the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/units.h"
#include "runtime/device/cpu/run_order.h"
#include "runtime/device/cpu/turn_set.h"

namespace ws::cpu {

class NamedBarrier {
 public:
  /// For a block of `threads`, none of which has arrived.
  void start(std::size_t threads) {
    waiting_.start(threads);
    phase_ = 0;
    result_ = 0;
    begin_phase();
  }

  /// @param gone  The lanes of the thread's warp that have ended or do not exist.
  /// @param wanted  Threads that the present phase waits for; 0: all that have not ended.
  /// @return The phase.
  std::uint32_t arrive(std::size_t thread, std::uint32_t gone, std::uint32_t wanted,
                       bool predicate) {
    std::uint32_t& lanes = lanes_.at(thread / kWarpSize);
    counted_ += lanes == 0 ? gone + 1 : 1;
    lanes |= 1U << (thread % kWarpSize);
    wanted_ = wanted;
    trues_ += predicate ? 1 : 0;
    ++arrived_;
    return phase_;
  }

  /// A thread of the block has ended.
  void end(std::size_t thread) {
    const std::uint32_t lanes = lanes_.at(thread / kWarpSize);
    if ((lanes >> (thread % kWarpSize) & 1U) != 0) {
      --arrived_;
    } else if (lanes != 0) {
      ++counted_;
    }
  }

  /// @param live  The threads of the block that have not ended.
  [[nodiscard]] bool complete(std::size_t live) const {
    return wanted_ == 0 ? arrived_ != 0 && arrived_ >= live : counted_ >= wanted_;
  }

  /// Whether threads have arrived in the present phase, and it waits for all of a block of
  /// `threads`.
  [[nodiscard]] bool gathers_all(std::size_t threads) const {
    const std::size_t in_warps = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    return counted_ != 0 && (wanted_ == 0 || wanted_ == in_warps);
  }

  /// Threads that have arrived in the present phase and not ended since.
  [[nodiscard]] std::size_t arrived() const { return arrived_; }

  /// The present phase is one of all threads that have not ended.
  [[nodiscard]] bool takes_all() const { return wanted_ == 0; }

  [[nodiscard]] bool is_over(std::uint32_t phase) const { return phase != phase_; }

  void wait(std::size_t turn) { waiting_.add(turn); }

  /// Those that wait for the present phase.
  [[nodiscard]] const TurnSet& waiting() const { return waiting_; }

  /// The predicates that were true so far in the present phase.
  [[nodiscard]] std::uint32_t trues() const { return trues_; }

  /// Lets those that wait go on, and begins the next phase.
  void release(TurnSet& ready) {
    result_ = trues_;
    ++phase_;
    ready.take(waiting_);
    begin_phase();
  }

  /// The predicates that were true in the last phase.
  [[nodiscard]] std::uint32_t result() const { return result_; }

 private:
  void begin_phase() {
    lanes_.fill(0);
    wanted_ = 0;
    arrived_ = 0;
    counted_ = 0;
    trues_ = 0;
  }

  TurnSet waiting_;
  std::uint32_t phase_ = 0;
  std::uint32_t result_ = 0;
  // The rest describes the present phase.
  std::array<std::uint32_t, kMaxBlockThreads / kWarpSize> lanes_{};  ///< By warp: who has arrived.
  std::uint32_t wanted_ = 0;
  std::uint32_t arrived_ = 0;  ///< Threads that have not ended since.
  std::uint32_t counted_ = 0;  ///< Threads and lanes that count with them.
  std::uint32_t trues_ = 0;
};

}  // namespace ws::cpu
