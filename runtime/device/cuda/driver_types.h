// The part of the CUDA driver's C interface that this folder uses, declared here: warpsmith builds
// where no tool kit is installed, and opens the driver when a GPU is first used.
// Source: the CUDA Driver API reference, 12.0 and later; numbers and layouts are its ABI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::cuda {

using CuResult = int;
using CuDevice = int;
using CuDevicePtr = unsigned long long;
using CuContext = struct CuContextTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;
using CuGraph = struct CuGraphTag*;
using CuGraphExec = struct CuGraphExecTag*;

struct CuUuid {
  std::array<unsigned char, 16> bytes;
};

inline constexpr CuResult kCuSuccess = 0;

enum CuAttribute : int {
  kCuMaxThreadsPerBlock = 1,
  kCuMaxBlockDimZ = 4,
  kCuMaxGridDimX = 5,
  kCuMaxGridDimY = 6,
  kCuWarpSize = 10,
  kCuClockRateKhz = 13,
  kCuMultiprocessorCount = 16,
  kCuMemoryClockRateKhz = 36,
  kCuL2CacheSize = 38,
  kCuComputeCapabilityMajor = 75,
  kCuComputeCapabilityMinor = 76,
  kCuMaxSharedMemoryPerBlockOptin = 97,
  kCuMpsEnabled = 133,
};

enum CuLimit : int { kCuPrintfFifoSize = 1, kCuMallocHeapSize = 2, kCuPersistingL2CacheSize = 6 };

inline constexpr int kCuFuncMaxDynamicSharedBytes = 8;
inline constexpr unsigned kCuStreamNonBlocking = 1;
inline constexpr unsigned kCuEventDefault = 0;
/// In a capture: a node of the graph that records the event.
inline constexpr unsigned kCuEventRecordExternal = 1;
inline constexpr int kCuCaptureThreadLocal = 1;

}  // namespace ws::cuda
