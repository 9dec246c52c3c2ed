#include "runtime/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace ws {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      body(i);
    }
  };
  std::vector<std::jthread> others;
  const std::size_t wanted = std::min<std::size_t>(count, std::thread::hardware_concurrency());
  try {
    for (std::size_t i = 1; i < wanted; ++i) {
      others.emplace_back(work);
    }
  } catch (const std::system_error&) {
    // No more threads: those that there are do all of it.
  }
  work();
}

}  // namespace ws
