// An architecture without its device: kernels are compiled for it and cannot run.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"

namespace ws {

/// @param arch      "sm_90a".
/// @param compiler  Of role "nvrtc".
std::unique_ptr<Backend> make_offline_cuda_backend(std::string arch,
                                                   std::shared_ptr<CompileService> compiler);

}  // namespace ws
