#include "server/transport/call_pool.h"

#include <utility>

#include "server/memory_reserve.h"

namespace ws::server {

CallPool::Count::Count(CallPool& pool)
    : pool_(pool) {
  const std::lock_guard lock(pool_.mutex_);
  ++pool_.open_;
}

CallPool::Count::~Count() {
  keep_memory_reserve();
  const std::lock_guard lock(pool_.mutex_);
  --pool_.open_;
  pool_.ended_.notify_all();
}

CallPool::Open CallPool::open() {
  return std::make_shared<Count>(*this);
}

bool CallPool::begin(std::function<void(const Open&)> work) {
  return pool_.submit([work = std::move(work), open = open()] { work(open); });
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

}  // namespace ws::server
