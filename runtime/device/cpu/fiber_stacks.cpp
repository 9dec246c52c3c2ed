#include "runtime/device/cpu/fiber_stacks.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <pthread.h>
#include <sys/mman.h>

namespace ws::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
/// A frame larger than a page can step over the guard: look this far around it.
constexpr std::size_t kOsGuardReach = 256 << 10U;

// Not in an anonymous struct: the signal handler reads them. Each OS thread has its own.
thread_local std::array<const FiberStacks*, 2> t_stacks = {};
/// The lowest address of the OS thread's own stack, where barrier-free kernels run.
thread_local const char* t_os_stack_low = nullptr;

const char* os_stack_low() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  return static_cast<const char*>(low);
}

}  // namespace

bool in_guard_page(const void* address) {
  const auto* at = static_cast<const char*>(address);
  for (const FiberStacks* stacks : t_stacks) {
    if (stacks != nullptr && stacks->guards(at)) {
      return true;
    }
  }
  return t_os_stack_low != nullptr && at < t_os_stack_low + kOsGuardReach &&
         at + kOsGuardReach >= t_os_stack_low;
}

FiberStacks::FiberStacks() {
  t_os_stack_low = os_stack_low();
  *std::ranges::find(t_stacks, nullptr) = this;
}

FiberStacks::~FiberStacks() {
  *std::ranges::find(t_stacks, this) = nullptr;
  free();
}

bool FiberStacks::guards(const char* address) const {
  const bool inside =
      stacks_ != nullptr && address >= stacks_ && address < stacks_ + count_ * slot_bytes_;
  return inside && static_cast<std::size_t>(address - stacks_) % slot_bytes_ < guard_bytes_;
}

void FiberStacks::free() {
  if (stacks_ != nullptr) {
    ::munmap(stacks_, count_ * slot_bytes_);
  }
  stacks_ = nullptr;
}

void FiberStacks::reserve(std::size_t count, const StackNeed& need) {
  const auto [dense, slot] = thread_stack(need);
  if (stacks_ != nullptr && slot == slot_bytes_ && count <= count_) {
    return;
  }
  free();
  slot_bytes_ = slot;
  guard_bytes_ = dense ? 0 : kStackGuardBytes;
  // Dense stacks fill whole huge pages, so that one TLB entry serves hundreds of them.
  const std::size_t least = dense ? (2 * kHugePage + slot - 1) / slot : 0;
  count_ = std::max(count, least);
  const std::size_t bytes = count_ * slot_bytes_;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    std::abort();  // The memory limit was chosen to hold the stacks.
  }
  stacks_ = static_cast<char*>(memory);
  if (dense) {
    ::madvise(stacks_, bytes, MADV_HUGEPAGE);  // Where there are none it is only slower.
  }
  for (std::size_t i = 0; guard_bytes_ != 0 && i < count_; ++i) {
    ::mprotect(stacks_ + i * slot_bytes_, guard_bytes_, PROT_NONE);
  }
}

}  // namespace ws::cpu
