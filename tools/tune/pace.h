// Measures whether a tuning kept its compilers and its device busy: the time of each activity,
// added up.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/base/call_context.h"

namespace ws {

/// Seconds by the clock.
struct Pace {
  double search_s = 0;
  std::size_t builds = 0;
  std::size_t trials = 0;
  double builds_s = 0;     ///< The seconds of all builds, added up.
  double building_s = 0;   ///< When at least one was under way.
  double measuring_s = 0;  ///< When a point was timed or validated.
  double both_s = 0;       ///< When both.
};

/// Any thread.
class PaceClock {
 public:
  enum class What : bool { kBuild, kTrial };

  void begin(What what) {
    const std::lock_guard lock(mutex_);
    pass();
    ++(what == What::kBuild ? building_ : measuring_);
  }

  void end(What what) {
    const std::lock_guard lock(mutex_);
    pass();
    --(what == What::kBuild ? building_ : measuring_);
    ++(what == What::kBuild ? pace_.builds : pace_.trials);
  }

  Pace so_far() {
    const std::lock_guard lock(mutex_);
    pass();
    return pace_;
  }

 private:
  void pass() {
    const Clock::time_point now = Clock::now();
    const double s = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    pace_.search_s += s;
    pace_.builds_s += s * static_cast<double>(building_);
    pace_.building_s += building_ > 0 ? s : 0;
    pace_.measuring_s += measuring_ > 0 ? s : 0;
    pace_.both_s += building_ > 0 && measuring_ > 0 ? s : 0;
  }

  std::mutex mutex_;
  Clock::time_point last_ = Clock::now();
  std::size_t building_ = 0;
  std::size_t measuring_ = 0;
  Pace pace_;
};

}  // namespace ws
