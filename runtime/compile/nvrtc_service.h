// A compile service whose workers are NVRTC's.
#pragma once

#include <string>

#include "runtime/compile/compile_service.h"
#include "runtime/compile/toolkit.h"

namespace ws {

/// @param executable  Of this product: it is the worker too.
CompileService::Options nvrtc_service(const std::string& executable, const Toolkit& toolkit);

}  // namespace ws
