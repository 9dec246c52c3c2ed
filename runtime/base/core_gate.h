// Decides who has the machine's cores: work that may run beside other work, or one measurement
// alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <utility>

#include "runtime/base/result.h"

namespace ws {

/// First come, first served, so that neither a stream of compiles nor one of measurements keeps the
/// other out. Any thread; outlives its holds.
class CoreGate {
 public:
  /// Being inside; given back at its end. An empty one holds nothing.
  class Hold {
   public:
    Hold() = default;

    Hold(Hold&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)),
          alone_(other.alone_) {}

    Hold& operator=(Hold&& other) noexcept {
      std::swap(gate_, other.gate_);
      std::swap(alone_, other.alone_);
      return *this;
    }

    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    ~Hold() {
      if (gate_ != nullptr) {
        gate_->leave(alone_);
      }
    }

   private:
    friend class CoreGate;

    Hold(CoreGate* gate, bool alone)
        : gate_(gate),
          alone_(alone) {}

    CoreGate* gate_ = nullptr;
    bool alone_ = false;
  };

  /// Beside others that share. @errors kCancelled.
  Result<Hold> share(const std::stop_token& stop) { return enter(stop, false); }

  /// With nobody else inside. @errors kCancelled.
  Result<Hold> own(const std::stop_token& stop) { return enter(stop, true); }

 private:
  Result<Hold> enter(const std::stop_token& stop, bool alone);
  void leave(bool alone);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::uint64_t> line_;  // guarded by mutex_
  std::uint64_t next_ = 0;          // guarded by mutex_
  std::uint64_t sharing_ = 0;       // guarded by mutex_
  bool owned_ = false;              // guarded by mutex_
};

}  // namespace ws
