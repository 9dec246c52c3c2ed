// One barrier of a block after the other: who waits there, and what it gives to them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cpu/abi.h"
#include "runtime/device/cpu/turn_set.h"
#include "runtime/device/run_reply.h"

namespace ws::cpu {

class BlockBarrier {
 public:
  /// For a block of `threads`, none of which waits.
  void start(std::size_t threads) {
    waiting_.start(threads);
    arrived_ = 0;
  }

  void arrive(std::size_t turn, cpu_abi::BarrierMode mode, bool predicate, std::uint32_t site) {
    if (arrived_ == 0) {
      true_ = 0;
      site_ = site;
    }
    true_ += predicate ? 1 : 0;
    mode_ = mode;
    diverged_ = diverged_ || site != site_;
    waiting_.add(turn);
    ++arrived_;
  }

  /// Whether threads are here and, with those that are at the same barrier by another name, as many
  /// as `wanted`.
  [[nodiscard]] bool complete(std::size_t wanted, std::size_t elsewhere) const {
    return arrived_ != 0 && arrived_ + elsewhere == wanted;
  }

  /// That of the thread that came last.
  [[nodiscard]] cpu_abi::BarrierMode mode() const { return mode_; }

  /// Some thread came by another place of the source than the first one.
  [[nodiscard]] bool diverged() const { return diverged_; }

  /// The turns of the threads that wait.
  [[nodiscard]] const TurnSet& waiting() const { return waiting_; }

  /// Lets all go on, and begins the next barrier.
  void release(TurnSet& ready) {
    result_ = true_;
    if (mode_ == cpu_abi::BarrierMode::kAnd) {
      result_ = true_ == arrived_ ? 1 : 0;
    } else if (mode_ == cpu_abi::BarrierMode::kOr) {
      result_ = true_ != 0 ? 1 : 0;
    }
    arrived_ = 0;
    ready.take(waiting_);
  }

  /// The result of the last one; read before the next can complete.
  [[nodiscard]] std::uint32_t result() const { return result_; }

 private:
  TurnSet waiting_;
  std::size_t arrived_ = 0;
  std::uint32_t true_ = 0;         ///< Predicates that were true at this barrier.
  std::uint32_t site_ = kNoPlace;  ///< The place where its first thread waits.
  std::uint32_t result_ = 0;
  bool diverged_ = false;
  cpu_abi::BarrierMode mode_ = cpu_abi::BarrierMode::kPlain;
};

}  // namespace ws::cpu
