#include "runtime/queue/worker_pool.h"

#include <utility>

#include "runtime/base/no_memory.h"

namespace ws {

WorkerPool::WorkerPool(Options options)
    : options_(std::move(options)),
      spawner_([this] { spawn_until_stopped(); }) {}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  spawner_.join();
}

void WorkerPool::warm() {
  {
    const std::lock_guard lock(mutex_);
    warm_ = true;
  }
  changed_.notify_all();
}

Result<WorkerProcess> WorkerPool::take() {
  std::unique_lock lock(mutex_);
  warm_ = true;
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !ready_.empty() || stopping_; });
  --waiting_;
  if (ready_.empty()) {
    return fail(ErrorCode::kCancelled, "the server is stopping");
  }
  Result<WorkerProcess> worker = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return worker;
}

void WorkerPool::spawn_until_stopped() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] {
      const std::size_t wanted = waiting_ + (warm_ ? options_.spares : 0);
      return stopping_ || ready_.size() < wanted;
    });
    if (stopping_) {
      return;
    }
    lock.unlock();
    Result<WorkerProcess> worker;
    surely([&] {
      worker = WorkerProcess::start(options_.executable, options_.role, options_.output);
    });
    lock.lock();
    // A failure answers one caller; without one it would be retried for ever.
    warm_ = warm_ && worker.has_value();
    if (worker || waiting_ > 0) {
      surely([&] { ready_.push_back(std::move(worker)); }, &lock);
    }
    changed_.notify_all();
  }
}

}  // namespace ws
