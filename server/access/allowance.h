// A limit on how often something may happen.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/base/call_context.h"

namespace ws::server {

/// So many a minute: all of them may come at once, and come back one by one. Not thread-safe.
class Allowance {
 public:
  /// @param per_minute  At least 1.
  Allowance(int per_minute, Clock::time_point now)
      : per_minute_(per_minute),
        at_(now) {}

  [[nodiscard]] int per_minute() const { return per_minute_; }

  /// How long until there is one; nothing: there is one now.
  std::optional<std::chrono::seconds> wait(Clock::time_point now) {
    saved_ = std::min<Clock::duration>(kMinute, saved_ + (now - at_));
    at_ = now;
    if (saved_ >= price()) {
      return std::nullopt;
    }
    return std::max(std::chrono::seconds(1),
                    std::chrono::ceil<std::chrono::seconds>(price() - saved_));
  }

  /// Takes one, where there is one. @return  As wait().
  std::optional<std::chrono::seconds> take(Clock::time_point now) {
    const auto until = wait(now);
    saved_ -= until ? Clock::duration(0) : price();
    return until;
  }

 private:
  static constexpr std::chrono::minutes kMinute{1};

  /// The time that one costs.
  [[nodiscard]] Clock::duration price() const { return Clock::duration(kMinute) / per_minute_; }

  int per_minute_;
  Clock::duration saved_ = kMinute;  ///< Time that was not spent, as of `at_`.
  Clock::time_point at_;
};

}  // namespace ws::server
