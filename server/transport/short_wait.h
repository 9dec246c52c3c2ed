// Waiting without sleeping where the next request comes at once: a thread that sleeps takes longer
// to wake up than a short request takes.
#pragma once

#include <chrono>
#include <thread>

namespace ws::server {

/// Watches how long the pauses of a thread are. After a short one the thread looks on for a while
/// before it sleeps; after a long one it does not, so a server that nobody asks takes no processor
/// time. One thread at a time.
class ShortWait {
 public:
  /// Begins a pause.
  /// @param look  Looks without waiting; true: there is something.
  /// @return  False: the thread is to sleep, and to call slept() then.
  template <typename Look>
  bool awake(const Look& look) {
    begun_ = Clock::now();
    if (!lively_ || !has_processors()) {
      return false;
    }
    do {
      if (look()) {
        return true;
      }
    } while (Clock::now() - begun_ < kAwake);
    return false;
  }

  /// Ends a pause.
  void slept() { lively_ = Clock::now() - begun_ < kShort; }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr auto kAwake = std::chrono::microseconds(60);
  static constexpr auto kShort = std::chrono::microseconds(150);

  /// On a single one the client could not run meanwhile.
  static bool has_processors() {
    static const bool several = std::thread::hardware_concurrency() > 1;
    return several;
  }

  Clock::time_point begun_;
  bool lively_ = false;
};

}  // namespace ws::server
