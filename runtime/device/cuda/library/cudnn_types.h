// The part of cuDNN's backend interface that this folder uses, declared here as cublas_types.h
// does. Source: cudnn_graph.h of cuDNN 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/driver/driver_types.h"

namespace ws::cuda {

using CudnnStatus = int;
using CudnnHandle = struct CudnnHandleTag*;
using CudnnDescriptor = void*;

inline constexpr CudnnStatus kCudnnSuccess = 0;

// NOLINTNEXTLINE(performance-enum-size): the type of the library's parameters.
enum CudnnValue : int {

#define WS_VALUE(name, theirs, number) name = number,
#include "runtime/device/cuda/library/cudnn_values.def"
#undef WS_VALUE
};

}  // namespace ws::cuda
