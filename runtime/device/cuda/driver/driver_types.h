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
using CuArray = struct CuArrayTag*;
using CuTexObject = unsigned long long;

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

/// A CUDA_ARRAY3D_DESCRIPTOR. A height or depth of 0: it has no such dimension.
struct CuArrayForm {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t depth = 0;
  int format = 0;
  unsigned channels = 1;
  unsigned flags = 0;
};

/// One side of a CUDA_MEMCPY3D.
struct CuCopySide {
  std::size_t x_bytes = 0;
  std::size_t y = 0;
  std::size_t z = 0;
  std::size_t level = 0;
  int memory = 0;
  void* host = nullptr;
  CuDevicePtr device = 0;
  CuArray array = nullptr;
  void* reserved = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
};

/// A CUDA_MEMCPY3D.
struct CuCopy3D {
  CuCopySide from;
  CuCopySide to;
  std::size_t width_bytes = 0;
  std::size_t height = 0;
  std::size_t depth = 0;
};

/// A CUDA_RESOURCE_DESC: `type` says which member of the union counts.
struct CuTextureSource {
  struct Linear {
    CuDevicePtr address;
    int format;
    unsigned channels;
    std::size_t bytes;
  };

  struct Rows {
    CuDevicePtr address;
    int format;
    unsigned channels;
    std::size_t width;
    std::size_t height;
    std::size_t row_bytes;
  };

  int type = 0;

  union {
    std::array<int, 32> words = {};
    CuArray array;
    Linear linear;
    Rows rows;
  };

  unsigned flags = 0;
};

/// A CUDA_TEXTURE_DESC.
struct CuTextureForm {
  std::array<int, 3> address = {};
  int filter = 0;
  unsigned flags = 0;
  unsigned anisotropy = 0;
  int mipmap_filter = 0;
  float mipmap_bias = 0;
  float least_level = 0;
  float most_level = 0;
  std::array<float, 4> border = {};
  std::array<int, 12> reserved = {};
};

static_assert(sizeof(CuArrayForm) == 40 && sizeof(CuCopy3D) == 200);
static_assert(sizeof(CuTextureSource) == 144 && sizeof(CuTextureForm) == 104);

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
  kCuTextureAlignment = 14,
  kCuMultiprocessorCount = 16,
  kCuMemoryClockRateKhz = 36,
  kCuL2CacheSize = 38,
  kCuMaxThreadsPerMultiprocessor = 39,
  kCuTexturePitchAlignment = 51,
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

// NOLINTNEXTLINE(performance-enum-size): the type of the driver's parameters.
enum CuTextureSourceType : int { kCuSourceArray = 0, kCuSourceLinear = 2, kCuSourceRows = 3 };

// NOLINTNEXTLINE(performance-enum-size): the type of the driver's parameters.
enum CuMemoryType : int { kCuMemoryDevice = 2, kCuMemoryArray = 3 };

inline constexpr unsigned kCuArrayLayered = 1;
inline constexpr unsigned kCuTextureReadAsInteger = 1;
inline constexpr unsigned kCuTextureNormalized = 2;
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
