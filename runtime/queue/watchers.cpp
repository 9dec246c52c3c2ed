#include "runtime/queue/watchers.h"

#include <exception>
#include <new>

#include "runtime/base/log.h"
#include "runtime/base/no_memory.h"

namespace ws {
namespace {

/// The time until a watch for which there was no memory is asked or notified again.
constexpr std::chrono::milliseconds kPause{10};

Watchers::Turn turn_of(const Watchers::Watch& watch) {
  try {
    return watch.turn();
  } catch (const std::exception&) {
    return {.reports = {}, .over = false, .next = Clock::now() + kPause};
  }
}

void log_untold(const std::exception& error) {
  log(LogLevel::kError, "queue", "a waiting call could not be notified:");
  log(LogLevel::kError, "queue", error.what());
}

}  // namespace

Watchers::Watchers(std::mutex& mutex)
    : mutex_(mutex),
      thread_([this] { work(); }) {}

Watchers::~Watchers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    called_.notify_all();
  }
  thread_.join();
}

void Watchers::Watch::OnStop::operator()() const {
  const std::lock_guard lock(watchers->mutex_);
  if (const auto stopped = watch.lock()) {
    stopped->stopped_ = true;
    watchers->call(stopped);
  }
}

void Watchers::listen(const std::shared_ptr<Watch>& watch, const std::stop_token& stop) {
  watch->on_stop_ =
      std::make_unique<std::stop_callback<Watch::OnStop>>(stop, Watch::OnStop{this, watch});
}

void Watchers::add(const std::shared_ptr<Watch>& watch) {
  timers_.emplace(watch->at_, watch);
  watch->done_ = false;
  call(watch);
}

void Watchers::call(const std::shared_ptr<Watch>& watch) {
  if (!watch->due_ && !watch->done_) {
    watch->due_ = true;
    move(watch, Clock::now());
    called_.notify_one();
  }
}

void Watchers::move(const std::shared_ptr<Watch>& watch, Clock::time_point at) {
  auto timer = timers_.extract({watch->at_, watch});
  watch->at_ = at;
  timer.value().first = at;
  timers_.insert(std::move(timer));
}

void Watchers::sleep(std::unique_lock<std::mutex>& lock) {
  while (!ending_) {
    if (timers_.empty()) {
      called_.wait(lock);
    } else if (const auto at = timers_.begin()->first; Clock::now() < at) {
      called_.wait_until(lock, at);
    } else {
      return;
    }
  }
}

std::optional<Watchers::Told> Watchers::take_turn() {
  if (timers_.empty() || (timers_.begin()->first > Clock::now() && !ending_)) {
    return std::nullopt;
  }
  const std::shared_ptr<Watch> watch = timers_.begin()->second;
  watch->due_ = false;
  Told told{watch, watch->untold_ ? Turn() : turn_of(*watch), {}};
  told.turn.over = told.turn.over || watch->stopped_ || watch->untold_ || ending_;
  if (!told.turn.over) {
    move(watch, told.turn.next);
    return told;
  }
  told.timer = timers_.extract(timers_.begin());
  if (!std::exchange(watch->done_, true) && watch->ended) {
    watch->ended(watch);
  }
  return told;
}

bool Watchers::tell(const Told& told) {
  try {
    for (const Progress& report : told.turn.reports) {
      told.watch->progress(report);
    }
  } catch (const std::exception& error) {
    log_untold(error);
  }
  try {
    if (told.turn.over) {
      const Need need;
      told.watch->over();
    }
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::exception& error) {
    log_untold(error);
  }
  return true;
}

void Watchers::tell_again(Told told) {
  told.watch->untold_ = true;
  told.watch->at_ = Clock::now() + kPause;
  told.timer.value().first = told.watch->at_;
  timers_.insert(std::move(told.timer));
}

void Watchers::work() {
  std::unique_lock lock(mutex_);
  while (!ending_ || !timers_.empty()) {
    sleep(lock);
    std::optional<Told> told = take_turn();
    if (!told) {
      continue;
    }
    lock.unlock();
    const bool said = tell(*told);
    if (said) {
      told.reset();  // A watch that ends here may wait for a stop that wants the mutex.
    }
    lock.lock();
    if (!said) {
      tell_again(*std::move(told));
    }
  }
}

}  // namespace ws
