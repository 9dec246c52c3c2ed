#include "runtime/device/cpu/region.h"

#include <utility>

#include <sys/mman.h>

namespace ws::cpu {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

void* start() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that the compiled kernels know.
  return reinterpret_cast<void*>(cpu_abi::kWindowBase - cpu_abi::kRegionGuard);
}

}  // namespace

Result<Region> Region::reserve() {
  void* memory = ::mmap(start(), kAddressSpace, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory != start()) {
    return fail_errno("mmap", "no address space for the kernel's memory");
  }
  Region region;
  region.reserved_ = true;
  return region;
}

Region::Region(Region&& other) noexcept
    : reserved_(std::exchange(other.reserved_, false)),
      used_(other.used_) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(reserved_, other.reserved_);
  std::swap(used_, other.used_);
  return *this;
}

Region::~Region() {
  if (reserved_) {
    ::munmap(start(), kAddressSpace);
  }
}

Result<char*> Region::take(std::uint64_t bytes) {
  return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

Result<char*> Region::take_file(std::uint64_t bytes, int file) {
  return map(bytes, MAP_SHARED, file);
}

Result<char*> Region::map(std::uint64_t bytes, int flags, int file) {
  const std::uint64_t pages = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (bytes > cpu_abi::kRegionBytes || pages + kPageBytes > cpu_abi::kRegionBytes - used_) {
    return fail(ErrorCode::kIo, "the kernel's memory is full");
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the same.
  void* at = reinterpret_cast<void*>(cpu_abi::kRegionBase + used_);
  if (pages != 0 &&
      ::mmap(at, pages, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0) == MAP_FAILED) {
    return fail_errno("mmap", "no memory for the kernel");
  }
  used_ += pages + kPageBytes;
  return static_cast<char*>(at);
}

}  // namespace ws::cpu
