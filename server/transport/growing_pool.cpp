#include "server/transport/growing_pool.h"

#include <exception>
#include <thread>
#include <utility>

#include "runtime/base/log.h"

namespace ws::server {

GrowingPool::GrowingPool(Options options)
    : options_(options) {}

GrowingPool::~GrowingPool() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  changed_.wait(lock, [this] { return threads_ == 0; });
}

bool GrowingPool::submit(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  return queue_.size() < options_.max_queued && enqueue(std::move(task), false, std::move(lock));
}

bool GrowingPool::submit_now(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  const bool free = queue_.size() < idle_ || threads_ < options_.max_threads;
  return free && enqueue(std::move(task), true, std::move(lock));
}

bool GrowingPool::submit_always(std::function<void()> task) {
  return enqueue(std::move(task), false, std::unique_lock(mutex_));
}

bool GrowingPool::enqueue(std::function<void()> task, bool now, std::unique_lock<std::mutex> lock) {
  if (stopping_) {
    return false;
  }
  queue_.push_back(std::move(task));
  // Counting what is queued, not just whether somebody idles: a burst must not wait for one thread.
  if (queue_.size() > idle_ && threads_ < options_.max_threads) {
    try {
      std::thread(&GrowingPool::work, this).detach();
      ++threads_;
    } catch (const std::exception& error) {  // No thread, or no memory to start one with.
      log(LogLevel::kWarning, "server", "no more threads:");
      log(LogLevel::kWarning, "server", error.what());
      if (threads_ == 0 || now) {
        queue_.pop_back();
        return false;
      }
    }
  }
  lock.unlock();  // The thread that wakes up needs it at once.
  wake_.notify_one();
  return true;
}

bool GrowingPool::wait_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return queue_.empty() && idle_ == threads_; });
}

void GrowingPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.notify_all();
    const bool woken =
        wake_.wait_for(lock, options_.idle_time, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (!woken || queue_.empty()) {
      break;
    }
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    try {
      task();
    } catch (const std::exception& error) {
      log(LogLevel::kError, "server", "a request ended in an exception:");
      log(LogLevel::kError, "server", error.what());
    }
    task = nullptr;  // This may destroy an answer, which must not happen under the lock.
    lock.lock();
  }
  --threads_;
  changed_.notify_all();  // Under the lock: the pool may be gone right after it is released.
}

}  // namespace ws::server
