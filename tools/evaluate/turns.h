// How many may be inside at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

/// A counting semaphore whose wait a stop request ends. Any thread; outlives its places.
class Turns {
 public:
  explicit Turns(std::size_t places)
      : free_(places) {}

  /// One place, given back at its end.
  class Place {
   public:
    Place() = default;

    explicit Place(Turns& turns)
        : turns_(&turns) {}

    Place(Place&& other) noexcept
        : turns_(std::exchange(other.turns_, nullptr)) {}

    Place& operator=(Place&& other) noexcept {
      std::swap(turns_, other.turns_);
      return *this;
    }

    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    ~Place() {
      if (turns_ != nullptr) {
        turns_->leave();
      }
    }

   private:
    Turns* turns_ = nullptr;
  };

  /// Waits for a place. @errors kCancelled.
  Result<Place> enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!left_.wait(lock, stop, [this] { return free_ > 0; })) {
      return fail(ErrorCode::kCancelled, "the call was cancelled");
    }
    --free_;
    return Place(*this);
  }

 private:
  void leave() {
    const std::lock_guard lock(mutex_);
    ++free_;
    left_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable_any left_;
  std::size_t free_;  // guarded by mutex_
};

}  // namespace ws
