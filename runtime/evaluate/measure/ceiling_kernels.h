// The kernels that measure the limits of a GPU: a copy, a read, multiply-adds, and tensor cores by
// type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// One of them, as a problem form whose reference is the kernel that is timed.
struct CeilingProbe {
  std::string unit;     ///< "copy", "read", or a key of Ceilings::tflops.
  std::string problem;  ///< JSON; its flops or bytes say how much one launch does.
};

/// In the order of measuring.
///
/// @param arch       "sm_90a": tensor cores are driven by wgmma on sm_90, by mma.sync elsewhere
/// from
///                   sm_80 on; on sm_100 and sm_103, whose instruction is another, not at all.
/// @param processors Multiprocessors.
std::vector<CeilingProbe> ceiling_probes(std::string_view arch, std::int64_t processors);

/// The probes know the fastest instruction of the device, see Ceilings::complete.
bool probes_are_complete(std::string_view arch);

}  // namespace ws
