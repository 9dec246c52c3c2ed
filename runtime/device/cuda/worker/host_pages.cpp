#include "runtime/device/cuda/worker/host_pages.h"

#include <sys/mman.h>

namespace ws::cuda {

Pinned pin(const Driver& driver, std::span<std::byte> pages) {
  const bool done = driver.api().cuMemHostRegister(pages.data(), pages.size(), 0) == kCuSuccess;
  return done ? Pinned(driver, pages.data()) : Pinned();
}

Result<HostPages> HostPages::create(const Driver& driver, std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail_errno("mmap", "the worker has no memory for a copy of the buffers");
  }
  HostPages pages;
  pages.bytes_ = {static_cast<std::byte*>(memory), bytes};
  pages.pinned_ = pin(driver, pages.bytes_);
  return pages;
}

HostPages::~HostPages() {
  pinned_ = Pinned();  // The driver's pages first.
  if (!bytes_.empty()) {
    ::munmap(bytes_.data(), bytes_.size());
  }
}

}  // namespace ws::cuda
