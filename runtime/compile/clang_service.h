// The compile service of the CPU engine: clang, in a plug-in beside the executable.
#pragma once

#include <memory>
#include <string>

#include "runtime/compile/compile_service.h"

namespace ws {

/// @param executable  Of this product: it is the worker too.
/// @param store       Null: outcomes are kept in memory only.
CompileService::Options clang_service(const std::string& executable,
                                      std::shared_ptr<CompileStore> store = nullptr);

}  // namespace ws
