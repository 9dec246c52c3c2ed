// The compile services of the two compilers.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/compile_service.h"
#include "runtime/compile/toolkit.h"

namespace ws {

/// The CPU engine's: clang, in a plug-in beside the executable.
///
/// @param executable  Of this product: it is the worker too.
/// @param store       May be null: outcomes are kept in memory only.
CompileService::Options clang_service(const std::string& executable,
                                      std::shared_ptr<CompileStore> store);

/// CUDA's: NVRTC, for every arch that it knows. The tool kit is looked at once, when the service
/// first needs a key: after another one was put in its place, start a new server.
CompileService::Options nvrtc_service(const std::string& executable, const Toolkit& toolkit,
                                      std::shared_ptr<CompileStore> store);

}  // namespace ws
