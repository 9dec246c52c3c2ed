// The compile service of HLSL and GLSL: glslang, in its plug-in.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/compile_service.h"

namespace ws {

/// @param executable  Of this product: it is the worker too, and the plug-in lies beside it.
/// @param store       Null: outcomes are kept in memory only.
CompileService::Options shader_service(const std::string& executable,
                                       std::shared_ptr<CompileStore> store = nullptr);

}  // namespace ws
