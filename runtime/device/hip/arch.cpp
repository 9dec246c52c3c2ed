#include "runtime/device/hip/arch.h"

#include <algorithm>
#include <array>

namespace ws::hip {
namespace {

constexpr std::int64_t kKib = 1024;

struct ArchFacts {
  std::string_view
      start;  ///< The start of the architecture's name; the first row that fits counts.
  std::int64_t wavefront = 64;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 64 * kKib;
};

//  Four SIMDs with 256 or 512 vector registers of 64 lanes; a pair of RDNA's compute units has four
//  SIMDs with 1024 of 32.
constexpr std::array kRows = {
    ArchFacts{"gfx90a", 64, 4 * 512 * 64, 64 * kKib},
    ArchFacts{"gfx94", 64, 4 * 512 * 64, 64 * kKib},
    ArchFacts{"gfx95", 64, 4 * 512 * 64, 160 * kKib},
    ArchFacts{"gfx9", 64, 4 * 256 * 64, 64 * kKib},
    ArchFacts{"gfx", 32, 4 * 1024 * 32, 64 * kKib},
};

const ArchFacts& row_of(std::string_view arch) {
  // "gfx90a" and "gfx1030" begin alike only up to "gfx"; "gfx9" has two digits after it.
  constexpr std::size_t kShortName = 6;
  const auto at = std::find_if(kRows.begin(), kRows.end(), [&](const ArchFacts& row) {
    return arch.starts_with(row.start) && (row.wavefront == 32 || arch.size() == kShortName);
  });
  return at == kRows.end() ? kRows.back() : *at;
}

}  // namespace

DeviceLimits limits_of(std::string_view arch) {
  constexpr std::int64_t kBlockZ = 1024;
  DeviceLimits limits;
  limits.max_shared_bytes = row_of(arch).shared_bytes;
  limits.registers_per_block = row_of(arch).registers;
  limits.warp_size = row_of(arch).wavefront;
  limits.max_block_z = kBlockZ;
  limits.max_cluster_blocks = 1;
  return limits;
}

}  // namespace ws::hip
