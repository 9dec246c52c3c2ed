// The limits of each NVIDIA architecture, for reports on a kernel where no such device is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/compile/compile.h"
#include "runtime/device/backend.h"

namespace ws::cuda {

/// The limits of one streaming multiprocessor (SM). Source: the table of technical specifications
/// by compute capability in the CUDA programming guide; the rules of occupancy are those of
/// NVIDIA's occupancy calculator.
struct ArchSpec {
  std::string_view number;  ///< "90"
  std::int64_t threads = 0;
  std::int64_t blocks = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t block_shared_bytes = 0;     ///< The most that one block can have.
  std::int64_t reserved_shared_bytes = 0;  ///< Taken by the system from each block.
};

/// @param arch  "sm_90a", "sm_86"; a suffix makes no difference. Null: not in the table.
const ArchSpec* find_arch(std::string_view arch);

/// The architectures of the table: "sm_75, sm_80, ..., sm_90a, ...".
std::string known_archs();

/// 90 of "sm_90a"; 0 when it is not written so.
int compute_capability(std::string_view arch);

/// Warps that an SM can hold of blocks of `threads`, over what it can hold at most: 0 to 1.
///
/// @param dynamic_shared_bytes  Of one block, on top of the entry's own.
/// @return  0: not even one block fits. Nothing: the registers are not known.
std::optional<double> occupancy(const ArchSpec& arch, const CompiledEntry& entry,
                                std::int64_t threads, std::int64_t dynamic_shared_bytes);

/// The features that plans may ask for on devices of that architecture, as DeviceInfo::features.
std::vector<std::string> features_of(std::string_view arch);

/// Limits of devices of that architecture.
DeviceLimits limits_of(const ArchSpec& arch);

}  // namespace ws::cuda
