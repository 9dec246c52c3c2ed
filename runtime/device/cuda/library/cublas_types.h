// The part of cuBLASLt's C interface that this folder uses, declared here: warpsmith builds where
// no toolkit is installed. Source: cublasLt.h, cublas_api.h and library_types.h of CUDA 12 and 13.
// Numbers and layouts are the library's ABI; library_headers_test.cpp compares the numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/device/cuda/driver/driver_types.h"

namespace ws::cuda {

using CublasStatus = int;
using CublasHandle = struct CublasHandleTag*;
using CublasMatmul = struct CublasMatmulTag*;
using CublasLayout = struct CublasLayoutTag*;
using CublasPreference = struct CublasPreferenceTag*;

/// A cublasLtMatmulAlgo_t.
struct CublasAlgorithm {
  std::array<std::uint64_t, 8> data = {};
};

/// A cublasLtMatmulHeuristicResult_t.
struct CublasCandidate {
  CublasAlgorithm algorithm;
  std::size_t workspace_bytes = 0;
  CublasStatus state = 0;
  float waves = 0;
  std::array<int, 4> reserved = {};
};

inline constexpr CublasStatus kCublasSuccess = 0;

// NOLINTNEXTLINE(performance-enum-size): the type of the library's parameters.
enum CublasValue : int {

#define WS_VALUE(name, theirs, number) name = number,
#include "runtime/device/cuda/library/cublas_values.def"
#undef WS_VALUE
};

}  // namespace ws::cuda
