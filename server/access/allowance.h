// A limit on how often something may happen.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "runtime/base/call_context.h"

namespace ws::server {

/// So many a minute: all of them may come at once, and come back one by one. Not thread-safe.
class Allowance {
 public:
  /// @param per_minute  At least 1.
  Allowance(int per_minute, Clock::time_point now)
      : per_minute_(per_minute),
        left_(per_minute),
        at_(now) {}

  [[nodiscard]] int per_minute() const { return per_minute_; }

  /// How long until there is one; nothing: there is one now.
  std::optional<std::chrono::seconds> wait(Clock::time_point now) {
    const double minutes = std::chrono::duration<double, std::ratio<60>>(now - at_).count();
    left_ = std::min<double>(per_minute_, left_ + minutes * per_minute_);
    at_ = now;
    if (left_ >= 1) {
      return std::nullopt;
    }
    constexpr double kSeconds = 60;
    return std::chrono::seconds(
        std::max(1, static_cast<int>(std::ceil((1 - left_) * kSeconds / per_minute_))));
  }

  /// Takes one, where there is one. @return  As wait().
  std::optional<std::chrono::seconds> take(Clock::time_point now) {
    const auto until = wait(now);
    left_ -= until ? 0 : 1;
    return until;
  }

 private:
  int per_minute_;
  double left_;
  Clock::time_point at_;
};

}  // namespace ws::server
