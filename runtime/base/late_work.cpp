#include "runtime/base/late_work.h"

#include <chrono>
#include <exception>
#include <thread>

namespace ws {
namespace {

constexpr auto kLate = std::chrono::milliseconds(100);

}  // namespace

bool LateWork::ask() noexcept {
  if (asked_.exchange(true)) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  if (!begin()) {
    asked_ = false;
    return false;
  }
  changed_.notify_one();
  return true;
}

/// With mutex_ held.
bool LateWork::begin() noexcept {
  if (!begun_) {
    try {
      std::thread([this] { run(); }).detach();
      begun_ = true;
    } catch (const std::exception&) {
      return false;
    }
  }
  return true;
}

void LateWork::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return asked_.load(); });
    }
    // While it is asked for again and again, nobody has to wake this thread.
    for (bool asked = true; asked;) {
      std::this_thread::sleep_for(kLate);
      asked = asked_.exchange(false);  // Before the work, which may miss what comes from now on.
      if (asked) {
        work_();
      }
    }
  }
}

}  // namespace ws
