// Scaled dot-product attention of cuDNN.
#pragma once

#include "runtime/device/cuda/library/library_launch.h"

namespace ws::cuda {

/// As make_library_launch().
Result<std::unique_ptr<LibraryLaunch>> make_attention(Context& context, const std::string& path,
                                                      const AttentionCall& call,
                                                      const std::vector<CuDevicePtr>& buffers);

}  // namespace ws::cuda
