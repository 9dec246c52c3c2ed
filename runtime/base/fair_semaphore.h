// A counting semaphore that lets callers in by turns.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

/// A counting semaphore: the first to come is let in first, and a stop request ends the wait. Any
/// thread; outlives its places.
class FairSemaphore {
 public:
  explicit FairSemaphore(std::size_t places)
      : free_(places) {}

  /// One place, given back at its end.
  class Place {
   public:
    Place() = default;

    explicit Place(FairSemaphore& semaphore)
        : semaphore_(&semaphore) {}

    Place(Place&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr)) {}

    Place& operator=(Place&& other) noexcept {
      std::swap(semaphore_, other.semaphore_);
      return *this;
    }

    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    ~Place() {
      if (semaphore_ != nullptr) {
        semaphore_->leave();
      }
    }

   private:
    FairSemaphore* semaphore_ = nullptr;
  };

  /// Waits for a place. @errors kCancelled.
  Result<Place> enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const std::uint64_t number = last_++;
    line_.push_back(number);
    const bool in = changed_.wait(lock, stop, [&] { return free_ > 0 && line_.front() == number; });
    std::erase(line_, number);
    changed_.notify_all();  // The thread that is first now goes on.
    if (!in) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    --free_;
    return Place(*this);
  }

  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return line_.size();
  }

 private:
  void leave() {
    const std::lock_guard lock(mutex_);
    ++free_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t free_;                // guarded by mutex_
  std::deque<std::uint64_t> line_;  // guarded by mutex_; the waiters, the first one first
  std::uint64_t last_ = 0;          // guarded by mutex_
};

}  // namespace ws
