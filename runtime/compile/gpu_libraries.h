// Where NVIDIA's libraries of this machine lie that kernels are compared with.
#pragma once

#include <string>
#include <vector>

namespace ws {

enum class GpuLibrary : unsigned char { kCublasLt, kCudnn };

/// Its file, by its whole path; empty when it is not here. Looks in `folders` first (what the user
/// named: a toolkit's folder, or empty), then in the packages of the interpreters, which PyTorch
/// brings, in /usr/local/cuda*, the newest first, the distribution's own folder and the loader's
/// cache. In one toolkit, and in the packages of one interpreter, the newest version goes first.
/// Starts nothing. @threads any.
std::string find_gpu_library(GpuLibrary library, const std::vector<std::string>& folders,
                             const std::vector<std::string>& interpreters);

/// The line that installs it.
inline constexpr const char* kCublasFix =
    "pip install nvidia-cublas, and set WARPSMITH_PYTHON to the interpreter that has it";
inline constexpr const char* kCudnnFix =
    "pip install nvidia-cudnn-cu13, and set WARPSMITH_PYTHON to the interpreter that has it";

}  // namespace ws
