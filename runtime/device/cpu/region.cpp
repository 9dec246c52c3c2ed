#include "runtime/device/cpu/region.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>

#include "runtime/base/hash.h"

namespace ws::cpu {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
/// Pages at which a file may begin, at most.
constexpr std::uint64_t kPlaces = 4096;

void* start() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that the compiled kernels know.
  return reinterpret_cast<void*>(cpu_abi::kWindowBase - cpu_abi::kRegionGuard);
}

/// @param offset  In the region.
char* place(std::uint64_t offset) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the same.
  return reinterpret_cast<char*>(cpu_abi::kRegionBase + offset);
}

}  // namespace

std::uint64_t in_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

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
      used_(other.used_),
      file_(other.file_),
      file_bytes_(other.file_bytes_) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(reserved_, other.reserved_);
  std::swap(used_, other.used_);
  std::swap(file_, other.file_);
  std::swap(file_bytes_, other.file_bytes_);
  return *this;
}

Region::~Region() {
  if (reserved_) {
    ::munmap(start(), kAddressSpace);
  }
}

Result<char*> Region::take(std::uint64_t bytes) {
  const std::uint64_t pages = in_pages(bytes);
  if (bytes > cpu_abi::kRegionBytes || pages + kPageBytes > cpu_abi::kRegionBytes - used_) {
    return fail(ErrorCode::kIo, "the kernel's memory is full");
  }
  char* const at = place(used_);
  if (pages != 0 && ::mmap(at, pages, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return fail_errno("mmap", "no memory for the kernel");
  }
  used_ += pages + kPageBytes;
  return at;
}

Result<char*> Region::place_file(std::uint64_t bytes, int file) {
  const std::uint64_t pages = in_pages(bytes);
  if (bytes > cpu_abi::kRegionBytes || pages + kPageBytes > cpu_abi::kRegionBytes - used_) {
    return fail(ErrorCode::kIo, "the kernel's memory is full");
  }
  if (file_bytes_ != 0 &&
      ::mmap(file_, file_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0) == MAP_FAILED) {
    return fail_errno("mmap", "no other place for the kernel's memory");
  }
  const std::uint64_t room = (cpu_abi::kRegionBytes - used_ - pages - kPageBytes) / kPageBytes;
  const std::uint64_t first = random_u64() % std::min(room + 1, kPlaces);
  file_ = place(used_ + first * kPageBytes);
  file_bytes_ = pages;
  if (pages != 0 &&
      ::mmap(file_, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    return fail_errno("mmap", "no memory for the kernel");
  }
  return file_;
}

}  // namespace ws::cpu
