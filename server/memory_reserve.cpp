#include "server/memory_reserve.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include <sys/mman.h>

#include "runtime/base/no_memory.h"

namespace ws::server {
namespace {

/// Not touched before it is needed: it takes address space, no memory.
constexpr std::size_t kReserve = std::size_t{64} << 20U;

std::atomic<void*> g_reserve = nullptr;

/// The bytes that a message may take with everything that is made from it, for each byte of its
/// text: `{}` and a comma become a value of 16 bytes in an array that grows by doubling, and an
/// object of 64.
constexpr std::size_t kMemoryOfText = 64;
/// There is always room for these.
constexpr std::size_t kSmallText = 4096;

std::atomic<std::size_t> g_promised = 0;

/// Called by `new` when it gets nothing; it tries again when this returns.
void on_no_memory() {
  const bool destroys = std::uncaught_exceptions() > 0 || Parting::is_here();
  void* reserve = destroys || Need::is_here() ? g_reserve.exchange(nullptr) : nullptr;
  if (reserve != nullptr) {
    std::free(reserve);
  } else if (destroys) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // The other way is the end of all.
  } else {
    throw std::bad_alloc();
  }
}

}  // namespace

MessageRoom::MessageRoom(std::size_t text_bytes)
    : bytes_(text_bytes <= kSmallText ? 0 : text_bytes * kMemoryOfText) {
  if (bytes_ == 0) {
    return;
  }
  const std::size_t all = g_promised += bytes_;
  void* const room =
      ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    g_promised -= bytes_;
    throw std::bad_alloc();
  }
  ::munmap(room, all);
}

MessageRoom::~MessageRoom() {
  g_promised -= bytes_;
}

void keep_memory_reserve() {
  std::set_new_handler(on_no_memory);
  void* none = nullptr;
  void* reserve = g_reserve.load() == nullptr ? std::malloc(kReserve) : nullptr;
  if (reserve != nullptr && !g_reserve.compare_exchange_strong(none, reserve)) {
    std::free(reserve);
  }
}

}  // namespace ws::server
