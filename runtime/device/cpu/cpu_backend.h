// The CPU engine as a Backend. Runs in the server: workers do the rest.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"

namespace ws {

/// @param executable  This program, for worker processes.
/// @param store       Compile outcomes on disk; null: in memory only.
/// @param cores       Who computes on this machine beside the engine's kernels.
std::unique_ptr<Backend> make_cpu_backend(
    const std::string& executable, std::shared_ptr<CompileStore> store = nullptr,
    std::shared_ptr<CoreGate> cores = std::make_shared<CoreGate>());

}  // namespace ws
