#include "runtime/device/cpu/region.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>

#include "runtime/base/hash.h"

namespace ws::cpu {
namespace {

/// Pages at which the first part of a file may begin, at most, and pages between two parts.
constexpr std::uint64_t kPlaces = 4096;
constexpr std::uint64_t kGaps = 512;

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
  return (bytes + Region::kPageBytes - 1) / Region::kPageBytes * Region::kPageBytes;
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
      file_end_(other.file_end_) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(reserved_, other.reserved_);
  std::swap(used_, other.used_);
  std::swap(file_end_, other.file_end_);
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

Result<std::vector<char*>> Region::place_file(const std::vector<Part>& parts, int file) {
  std::uint64_t needed = 0;  // A page that is not mapped follows each part.
  for (const Part& part : parts) {
    needed = std::min(cpu_abi::kRegionBytes, needed + in_pages(part.bytes) + kPageBytes);
  }
  if (needed > cpu_abi::kRegionBytes - used_) {
    return fail(ErrorCode::kIo, "the kernel's memory is full");
  }
  if (file_end_ != 0 &&
      ::mmap(place(used_), file_end_ - used_, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return fail_errno("mmap", "no other place for the kernel's memory");
  }
  std::uint64_t room = (cpu_abi::kRegionBytes - used_ - needed) / kPageBytes;
  std::uint64_t at = used_;
  std::vector<char*> places;
  for (const Part& part : parts) {
    const std::uint64_t pages = random_u64() % std::min(room + 1, places.empty() ? kPlaces : kGaps);
    room -= pages;
    at += pages * kPageBytes;
    places.push_back(place(at));
    const std::uint64_t bytes = in_pages(part.bytes);
    if (bytes != 0 && ::mmap(places.back(), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                             file, static_cast<off_t>(part.offset)) == MAP_FAILED) {
      return fail_errno("mmap", "no memory for the kernel");
    }
    at += bytes + kPageBytes;
  }
  file_end_ = at;
  return places;
}

}  // namespace ws::cpu
