// The compile service of CUDA: NVRTC, for every arch that it knows.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/compile_service.h"
#include "runtime/compile/toolkit.h"

namespace ws {

/// The toolkit is looked at once, when the service first needs a key: after another one was put in
/// its place, start a new server.
///
/// @param executable  Of this product: it is the worker too.
/// @param store       Null: outcomes are kept in memory only.
CompileService::Options nvrtc_service(const std::string& executable, const Toolkit& toolkit,
                                      std::shared_ptr<CompileStore> store = nullptr);

}  // namespace ws
