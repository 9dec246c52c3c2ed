// Helps to continue without memory, for work that others wait for.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>

namespace ws {

/// For as long as it lives this thread may have what is set aside (server/memory_reserve.h): for
/// small things that must not be lost, as the end of a job or the answer to a request.
class Need {
 public:
  Need() noexcept;
  Need(const Need&) = delete;
  Need& operator=(const Need&) = delete;
  ~Need();

  /// Whether this thread has one now.
  [[nodiscard]] static bool is_here() noexcept;
};

/// As Need, for what cannot be tried again: an allocation that fails waits until others have given
/// memory back. For destroying what takes memory to be destroyed.
class Parting {
 public:
  Parting() noexcept;
  Parting(const Parting&) = delete;
  Parting& operator=(const Parting&) = delete;
  ~Parting();

  /// Whether this thread has one now.
  [[nodiscard]] static bool is_here() noexcept;
};

/// Calls `act` once. @return  False: it ended in std::bad_alloc.
template <typename Act>
bool had_memory_for(const Act& act) {
  try {
    const Need need;
    act();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Calls `act` until it does not end in std::bad_alloc, and pauses after each time that it did:
/// others end meanwhile, and give back what they have. `act` must change nothing before it has all
/// the memory that it needs.
///
/// @param lock  Null, or what the caller holds: it is given up during a pause.
template <typename Act>
void surely(const Act& act, std::unique_lock<std::mutex>* lock = nullptr) {
  constexpr std::chrono::milliseconds kLongestPause{64};
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, kLongestPause)) {
    if (had_memory_for(act)) {
      return;
    }
    // There is nothing to do but to wait; even a line of the log takes memory.
    if (lock != nullptr) {
      lock->unlock();
    }
    std::this_thread::sleep_for(pause);
    if (lock != nullptr) {
      lock->lock();
    }
  }
}

}  // namespace ws
