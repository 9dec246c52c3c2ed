// The part of a run worker's address space that its kernel can reach (cpu_abi::kRegionBase): the
// image, local and shared memory, the arena, each with a page that is not mapped after it.
#pragma once

#include <cstdint>

#include "runtime/base/result.h"
#include "runtime/device/cpu/abi.h"

namespace ws::cpu {

/// Rounded up to whole pages.
std::uint64_t in_pages(std::uint64_t bytes);

class Region {
 public:
  /// Address space only. One per process. @errors kIo: there is none at this place.
  static Result<Region> reserve();

  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  /// `bytes` of zeros to read and write, on pages of their own. @errors kIo: no memory, or the
  /// region is full.
  Result<char*> take(std::uint64_t bytes);
  /// A file's first bytes, shared, at a random page behind all that was taken, each time another
  /// one; they leave the place where they were before. Take everything else first.
  Result<char*> place_file(std::uint64_t bytes, int file);

  /// The bytes that it takes of RLIMIT_AS.
  static constexpr std::uint64_t kAddressSpace = cpu_abi::kWindowBytes + 2 * cpu_abi::kRegionGuard;

 private:
  Region() = default;

  bool reserved_ = false;
  std::uint64_t used_ = 0;
  char* file_ = nullptr;  ///< Where the file is, behind used_.
  std::uint64_t file_bytes_ = 0;
};

}  // namespace ws::cpu
