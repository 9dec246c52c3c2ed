// One kernel of a survey, launched on the CPU engine and on a GPU with the same inputs.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/device/backend.h"

namespace ws::survey {

enum class Agreement : std::uint8_t {
  kNone,     ///< No trial suits the kernel, so that nothing was compared.
  kRuns,     ///< At least one suits; there is no GPU to compare with.
  kAgrees,   ///< All results are those of the GPU, but for rounding.
  kDiffers,  ///< Some are not.
  kFailed,   ///< The engine failed without a verdict on the kernel.
};

/// "none", "runs", "agrees", "differs", "failed".
std::string_view name_of(Agreement agreement);

struct KernelResult {
  Agreement agreement = Agreement::kNone;
  int trials = 0;  ///< So many were compared.
  std::string
      why;  ///< kNone: what the last trial met. kDiffers: the first difference. kFailed: the error.
};

/// The images of one file's kernels.
struct Images {
  Image checked;  ///< For the CPU engine, by Build::kBounds,
  Image fast;     ///< by Build::kFast,
  Image watched;  ///< and by Build::kWatched.
  Image gpu;      ///< From NVRTC, for the GPU or for one that is not here.
};

/// Looks for trials in which the kernel stays inside its buffers, changes something,
/// computes the same in two orders of threads, and has no race; compares the results of the checked
/// build, the fast build and the GPU in up to three of them.
/// @param gpu  Null: there is none. Any thread.
KernelResult run_kernel(const std::string& entry, const Images& images, Backend& engine,
                        Backend* gpu);

}  // namespace ws::survey
