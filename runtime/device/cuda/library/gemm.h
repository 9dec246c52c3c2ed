// A matrix product of cuBLASLt.
#pragma once

#include "runtime/device/cuda/library/library_launch.h"

namespace ws::cuda {

/// As make_library_launch().
Result<std::unique_ptr<LibraryLaunch>> make_gemm(Context& context, const std::string& path,
                                                 const GemmCall& call,
                                                 const std::vector<CuDevicePtr>& buffers);

}  // namespace ws::cuda
