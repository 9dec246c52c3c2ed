// The HIP runtime of AMD's ROCm behind the table of functions that the CUDA backend drives a GPU
// through: its plan runner, timer and worker serve both makers.
//
// Not run on AMD hardware yet: tested on a fake runtime, and written from HIP's documentation.
#pragma once

#include <string>

#include "runtime/base/result.h"
#include "runtime/device/cuda/driver/driver.h"

namespace ws::hip {

/// Opens the library, finds every function and calls hipInit. The functions take no context of
/// ours, so there is one runtime for a process, never closed again. For one thread.
///
/// Functions that HIP lacks, or lacks in 5.2, are refused with hipErrorNotSupported: cooperative
/// launches of modules, clusters, tensor maps. Streams are not captured: see cuda/timer.h.
///
/// @param library  A path, or a name that the loader looks up; "" = libamdhip64.so.6, then .so.5.
/// @errors kUnsupported: no such library, it lacks a function, or it finds no GPU.
Result<cuda::Driver> open_driver(const std::string& library);

}  // namespace ws::hip
