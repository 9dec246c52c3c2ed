#include "server/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

#include "runtime/base/no_memory.h"

namespace ws {
namespace {

/// Not touched before it is needed: it takes address space, no memory.
constexpr std::size_t kReserve = std::size_t{64} << 20U;

std::atomic<void*> g_reserve = nullptr;

/// Called by `new` when it gets nothing; it tries again when this returns.
void on_no_memory() {
  const bool allowed = std::uncaught_exceptions() > 0 || Need::is_here();
  void* reserve = allowed ? g_reserve.exchange(nullptr) : nullptr;
  if (reserve == nullptr) {
    throw std::bad_alloc();
  }
  std::free(reserve);
}

}  // namespace

void keep_memory_reserve() {
  std::set_new_handler(on_no_memory);
  void* none = nullptr;
  void* reserve = g_reserve.load() == nullptr ? std::malloc(kReserve) : nullptr;
  if (reserve != nullptr && !g_reserve.compare_exchange_strong(none, reserve)) {
    std::free(reserve);
  }
}

}  // namespace ws
