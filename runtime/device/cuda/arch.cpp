#include "runtime/device/cuda/arch.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/base/units.h"

namespace ws::cuda {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kRegisters = 65536;   // The registers of an SM.
constexpr std::int64_t kRegisterUnit = 256;  // Allocated for a warp at a time.
constexpr std::int64_t kWarpUnit = 4;        // Warps share a quarter of the registers.
constexpr std::int64_t kSharedUnit = 128;

//                            threads blocks  shared of SM, block  reserved
constexpr std::array kArchs = {
    ArchSpec{"75", 1024, 16, 64 * kKib, 64 * kKib, 0},
    ArchSpec{"80", 2048, 32, 164 * kKib, 163 * kKib, kKib},
    ArchSpec{"86", 1536, 16, 100 * kKib, 99 * kKib, kKib},
    ArchSpec{"87", 1536, 16, 164 * kKib, 163 * kKib, kKib},
    ArchSpec{"89", 1536, 24, 100 * kKib, 99 * kKib, kKib},
    ArchSpec{"90", 2048, 32, 228 * kKib, 227 * kKib, kKib},
    ArchSpec{"100", 2048, 32, 228 * kKib, 227 * kKib, kKib},
    ArchSpec{"103", 2048, 32, 228 * kKib, 227 * kKib, kKib},
    ArchSpec{"120", 1536, 24, 100 * kKib, 99 * kKib, kKib},
    ArchSpec{"121", 1536, 24, 100 * kKib, 99 * kKib, kKib},
};

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t blocks_by_registers(std::int64_t registers, std::int64_t warps) {
  if (registers == 0) {
    return kRegisters;
  }
  const std::int64_t of_warp = round_up(registers * kWarpSize, kRegisterUnit);
  const std::int64_t held = kRegisters / of_warp / kWarpUnit * kWarpUnit;
  return held / warps;
}

/// "90" of "sm_90a"; empty when it is not written so.
std::string_view number_of(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (!arch.starts_with(kPrefix)) {
    return {};
  }
  arch.remove_prefix(kPrefix.size());
  while (!arch.empty() && (arch.back() < '0' || arch.back() > '9')) {
    arch.remove_suffix(1);
  }
  return arch;
}

}  // namespace

const ArchSpec* find_arch(std::string_view arch) {
  arch = number_of(arch);
  const auto* found = std::find_if(kArchs.begin(), kArchs.end(),
                                   [arch](const ArchSpec& row) { return row.number == arch; });
  return found == kArchs.end() ? nullptr : found;
}

std::string known_archs() {
  constexpr int kFirstWithOwn = 90;  // From here on there are instructions of one architecture.
  std::string text;
  for (const ArchSpec& row : kArchs) {
    const std::string name = "sm_" + std::string(row.number);
    text += (text.empty() ? "" : ", ") + name +
            (compute_capability(name) >= kFirstWithOwn ? ", " + name + "a" : "");
  }
  return text;
}

int compute_capability(std::string_view arch) {
  const std::string_view digits = number_of(arch);
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<double> occupancy(const ArchSpec& arch, const CompiledEntry& entry,
                                std::int64_t threads, std::int64_t dynamic_shared_bytes) {
  if (entry.registers < 0 || threads <= 0) {
    return std::nullopt;
  }
  const std::int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  const std::int64_t shared =
      round_up(entry.shared_bytes + dynamic_shared_bytes + arch.reserved_shared_bytes, kSharedUnit);
  std::int64_t blocks = std::min(arch.blocks, arch.threads / kWarpSize / warps);
  blocks = std::min(blocks, blocks_by_registers(entry.registers, warps));
  if (shared > 0) {
    blocks = std::min(blocks, arch.shared_bytes / shared);
  }
  return static_cast<double>(blocks * warps * kWarpSize) / static_cast<double>(arch.threads);
}

std::vector<std::string> features_of(std::string_view arch) {
  constexpr int kFirstWithClusters = 90;
  return compute_capability(arch) >= kFirstWithClusters
             ? std::vector<std::string>{"tensor_maps", "cluster", "cooperative", "pdl", "textures"}
             : std::vector<std::string>{"cooperative", "textures"};
}

DeviceLimits limits_of(const ArchSpec& arch) {
  DeviceLimits limits;
  limits.max_shared_bytes = arch.block_shared_bytes;
  return limits;
}

}  // namespace ws::cuda
