#include "runtime/queue/watchers.h"

#include <exception>

#include "runtime/base/log.h"

namespace ws {

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
  watch->done_ = false;
  timers_.emplace(watch->at_, watch);
  call(watch);
}

void Watchers::call(const std::shared_ptr<Watch>& watch) {
  if (!watch->due_ && !watch->done_) {
    watch->due_ = true;
    due_.push_back(watch);
    called_.notify_one();
  }
}

void Watchers::sleep(std::unique_lock<std::mutex>& lock) {
  while (!ending_ && due_.empty()) {
    if (timers_.empty()) {
      called_.wait(lock);
    } else if (const auto at = timers_.begin()->first; Clock::now() < at) {
      called_.wait_until(lock, at);
    } else {
      return;
    }
  }
}

std::vector<Watchers::Told> Watchers::take_turns() {
  std::vector<std::shared_ptr<Watch>> due = std::exchange(due_, {});
  const auto now = Clock::now();
  for (const auto& [at, watch] : timers_) {
    if (at > now && !ending_) {
      break;
    }
    if (!watch->due_) {
      due.push_back(watch);
    }
  }
  std::vector<Told> told;
  for (const auto& watch : due) {
    watch->due_ = false;
    timers_.erase({watch->at_, watch});
    Turn turn = watch->turn();
    turn.over = turn.over || watch->stopped_ || ending_;
    watch->done_ = turn.over;
    if (!turn.over) {
      watch->at_ = turn.next;
      timers_.emplace(watch->at_, watch);
    } else if (watch->ended) {
      watch->ended(watch);
    }
    told.push_back({watch, std::move(turn)});
  }
  return told;
}

void Watchers::tell(const Told& told) {
  try {
    for (const Progress& report : told.turn.reports) {
      told.watch->progress(report);
    }
    if (told.turn.over) {
      told.watch->over();
    }
  } catch (const std::exception& error) {
    log(LogLevel::kError, "queue", "somebody who waits was not told:");
    log(LogLevel::kError, "queue", error.what());
  }
}

void Watchers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    sleep(lock);
    const bool last = ending_;
    std::vector<Told> told = take_turns();
    lock.unlock();
    for (const Told& one : told) {
      tell(one);
    }
    told.clear();  // What ends with it may wait for a stop that wants the mutex.
    lock.lock();
    if (last && timers_.empty()) {
      return;
    }
  }
}

}  // namespace ws
