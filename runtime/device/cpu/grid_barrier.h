// The barriers of all blocks of a cooperative launch, one after another. All OS threads use it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ws::cpu {

class GridBarrier {
 public:
  /// For a launch of so many blocks, before its first one begins.
  void start(std::uint64_t blocks) {
    blocks_ = blocks;
    arrived_ = 0;
    ended_ = 0;
    passed_ = 0;
  }

  /// A block is there with all of its threads.
  /// @return The number of the barrier that it waits for, from 1 on.
  std::uint64_t arrive() {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = passed_ + 1;
    if (++arrived_ == blocks_) {
      arrived_ = 0;
      passed_ = number;
      changed_.notify_all();
    }
    return number;
  }

  /// A block has ended.
  void end() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    if (arrived_ != 0) {
      changed_.notify_all();
    }
  }

  [[nodiscard]] bool has_passed(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    return passed_ >= number;
  }

  /// Blocks that have ended while others wait for them: those wait in vain.
  [[nodiscard]] std::uint64_t missing() {
    const std::lock_guard lock(mutex_);
    return arrived_ == 0 ? 0 : ended_;
  }

  /// Sleeps until the barrier is passed, or never can be.
  void wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed_ >= number || ended_ != 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t blocks_ = 0;
  std::uint64_t arrived_ = 0;  ///< guarded by mutex_
  std::uint64_t ended_ = 0;    ///< guarded by mutex_
  std::uint64_t passed_ = 0;   ///< guarded by mutex_
};

}  // namespace ws::cpu
