// The part of a run worker's address space that its kernel can reach (cpu_abi::kRegionBase): the
// image, local and shared memory, the arena, each with a page that is not mapped after it.
#pragma once

#include <cstdint>
#include <vector>

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

  static constexpr std::uint64_t kPageBytes = 4096;

  /// A part of a file, on whole pages. Parts may overlap: both places show the same bytes then.
  struct Part {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  /// Parts of a file, shared, in their order behind all that was taken, each a random number of
  /// pages behind the one before; they leave the places where they were before. Take everything
  /// else first.
  Result<std::vector<char*>> place_file(const std::vector<Part>& parts, int file);

  /// The bytes that it takes of RLIMIT_AS.
  static constexpr std::uint64_t kAddressSpace = cpu_abi::kWindowBytes + 2 * cpu_abi::kRegionGuard;

 private:
  Region() = default;

  bool reserved_ = false;
  std::uint64_t used_ = 0;
  std::uint64_t file_end_ = 0;  ///< The file's parts lie between used_ and this; 0: nowhere.
};

}  // namespace ws::cpu
