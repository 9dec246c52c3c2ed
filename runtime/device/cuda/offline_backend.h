// An architecture without its device: kernels are compiled for it and cannot run.
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"
#include "runtime/device/language_compiler.h"

namespace ws {

/// @param arch      "sm_90a".
/// @param compiler  Of role "nvrtc".
/// @param tiles     Of a language of tiles; null: there is none.
std::unique_ptr<Backend> make_offline_cuda_backend(
    std::string arch, std::shared_ptr<CompileService> compiler,
    std::shared_ptr<LanguageCompiler> tiles = nullptr);

}  // namespace ws
