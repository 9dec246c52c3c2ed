#include "server/transport/call_pool.h"

#include <exception>
#include <utility>

namespace ws {

CallPool::Done CallPool::open() {
  const std::lock_guard lock(mutex_);
  ++open_;
  return [this] { end(); };
}

void CallPool::end() {
  const std::lock_guard lock(mutex_);
  --open_;
  ended_.notify_all();
}

bool CallPool::begin(std::function<void(const Done&)> work) {
  const Done done = open();
  try {
    if (pool_.submit([work = std::move(work), done] { work(done); })) {
      return true;
    }
  } catch (const std::exception&) {
    done();  // It will not run, so nobody else counts it out.
    throw;
  }
  done();
  return false;
}

void CallPool::go_on(const std::function<void()>& rest) {
  if (!pool_.submit_always(rest)) {
    rest();
  }
}

bool CallPool::wait_idle(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_until(lock, end, [this] { return open_ == 0; })) {
      return false;
    }
  }
  const auto left = end - std::chrono::steady_clock::now();
  return pool_.wait_idle(std::chrono::ceil<std::chrono::milliseconds>(left));
}

}  // namespace ws
