// The limits of AMD's architectures, for reports on a kernel where no such device is.
#pragma once

#include <string_view>

#include "runtime/device/backend.h"

namespace ws::hip {

/// Limits of devices of that architecture. `warp_size` is the lanes of a wavefront as hiprtc
/// compiles: 64 on gfx9, 32 on gfx10 and later. `registers_per_block` counts those of all lanes of
/// the compute unit that a block lies on.
/// @source The instruction set documents of CDNA 2, CDNA 3, RDNA 2 and RDNA 3; LLVM's "User Guide
/// for AMDGPU Backend".
DeviceLimits limits_of(std::string_view arch);

}  // namespace ws::hip
