// The part of the CUDA driver's C interface that this folder uses, declared here: warpsmith builds
// where no toolkit is installed, and opens the driver when a GPU is first used.
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
using CuLinkState = struct CuLinkStateTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;
using CuGraph = struct CuGraphTag*;
using CuGraphExec = struct CuGraphExecTag*;
using CuGraphNode = struct CuGraphNodeTag*;
using CuKernel = struct CuKernelTag*;

/// A CUtensorMap: only the driver and the hardware read it.
struct alignas(128) CuTensorMap {
  std::array<std::byte, 128> bytes;
};

/// A CUlaunchAttribute; of its value, a union, the first words are used.
struct alignas(8) CuLaunchAttribute {
  int id = 0;
  int padding = 0;
  std::array<unsigned, 16> value = {};
};

/// A CUlaunchConfig.
struct CuLaunchConfig {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared_bytes = 0;
  CuStream stream = nullptr;
  CuLaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

/// A CUDA_KERNEL_NODE_PARAMS, second version: one of `function` and `kernel` is null.
struct CuKernelNode {
  CuFunction function = nullptr;
  std::array<unsigned, 3> grid = {};
  std::array<unsigned, 3> block = {};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  CuKernel kernel = nullptr;
  CuContext context = nullptr;
};

struct CuUuid {
  std::array<unsigned char, 16> bytes;
};

inline constexpr CuResult kCuSuccess = 0;

// NOLINTNEXTLINE(performance-enum-size): the type of the driver's parameters.
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
  kCuMaxThreadsPerMultiprocessor = 39,
  kCuComputeCapabilityMajor = 75,
  kCuComputeCapabilityMinor = 76,
  kCuMaxSharedMemoryPerBlockOptin = 97,
  kCuMpsEnabled = 133,
};

// NOLINTNEXTLINE(performance-enum-size): the type of the driver's parameters.
enum CuLimit : int { kCuPrintfFifoSize = 1, kCuMallocHeapSize = 2, kCuPersistingL2CacheSize = 6 };

// NOLINTNEXTLINE(performance-enum-size): the type of the driver's parameters.
enum CuLaunchAttributeId : int {
  kCuLaunchCooperative = 2,
  kCuLaunchClusterDimension = 4,
  kCuLaunchProgrammaticSerialization = 6,
};

inline constexpr int kCuJitInputPtx = 1;
inline constexpr int kCuFuncLocalSizeBytes = 3;
inline constexpr int kCuFuncMaxDynamicSharedBytes = 8;
inline constexpr int kCuFuncNonPortableClusterSize = 14;
inline constexpr unsigned kCuStreamNonBlocking = 1;
inline constexpr unsigned kCuEventDefault = 0;
/// In a capture: a node of the graph that records the event.
inline constexpr unsigned kCuEventRecordExternal = 1;
inline constexpr int kCuCaptureThreadLocal = 1;
inline constexpr int kCuGraphNodeKernel = 0;

}  // namespace ws::cuda
