#include "runtime/device/hip/driver.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>

#include <dlfcn.h>

#include "runtime/device/hip/hip_types.h"

namespace ws::hip {
namespace {

using namespace cuda;  // The other half of every function below.

constexpr CuResult kNoDevice = 100;
constexpr CuResult kNotSupported = 801;
constexpr unsigned kNonBlockingStream = 1;
constexpr const char* kInstallHint = "install ROCm's HIP runtime, 5.2 or newer";

struct HipTable {
#define WS_HIP(name, parameters) CuResult(*name) parameters = nullptr;
#include "runtime/device/hip/hip_functions.def"
#undef WS_HIP
  const char* (*hipGetErrorName)(CuResult) = nullptr;
  const char* (*hipGetErrorString)(CuResult) = nullptr;
};

/// The functions below do not take our context; one process has one runtime.
HipTable& hip() {
  static HipTable table;
  return table;
}

void* pointer(CuDevicePtr address) {
  return reinterpret_cast<void*>(address);
}

/// "gfx90a" of "gfx90a:sramecc+:xnack-": code for it runs with any of these modes.
CuResult arch_name(char* name, int size, CuDevice device) {
  HipProperties properties;
  const CuResult code = hip().hipGetDeviceProperties(&properties, device);
  properties.arch_name.back() = '\0';
  std::string_view text = properties.arch_name.data();
  text = text.substr(0, text.find(':'));
  const std::size_t length = text.copy(name, static_cast<std::size_t>(size) - 1);
  name[length] = '\0';
  return code;
}

/// HIP counts 50221153 for 5.2.21153; CUDA 5020.
CuResult version(int* number) {
  constexpr int kMajor = 10'000'000;
  constexpr int kMinor = 100'000;
  int whole = 0;
  const CuResult code = hip().hipDriverGetVersion(&whole);
  *number = whole / kMajor * 1000 + whole % kMajor / kMinor * 10;
  return code;
}

CuResult error_name(CuResult code, const char** name) {
  *name = hip().hipGetErrorName(code);
  return kCuSuccess;
}

CuResult error_text(CuResult code, const char** text) {
  *text = hip().hipGetErrorString(code);
  return kCuSuccess;
}

CuResult device_name(char* name, int size, CuDevice device) {
  HipProperties properties;
  const CuResult code = hip().hipGetDeviceProperties(&properties, device);
  properties.name.back() = '\0';
  const std::size_t length =
      std::string_view(properties.name.data()).copy(name, static_cast<std::size_t>(size) - 1);
  name[length] = '\0';
  return code;
}

CuResult total_memory(std::size_t* bytes, CuDevice device) {
  HipProperties properties;
  const CuResult code = hip().hipGetDeviceProperties(&properties, device);
  *bytes = properties.memory_bytes;
  return code;
}

CuResult attribute(int* value, int which, CuDevice device) {
  HipProperties properties;
  if (const CuResult code = hip().hipGetDeviceProperties(&properties, device); code != kCuSuccess) {
    return code;
  }
  const std::map<int, int> values = {
      {kCuMaxThreadsPerBlock, properties.max_threads_per_block},
      {kCuMaxBlockDimZ, properties.max_block[2]},
      {kCuMaxGridDimX, properties.max_grid[0]},
      {kCuMaxGridDimY, properties.max_grid[1]},
      {kCuWarpSize, properties.warp_size},
      {kCuClockRateKhz, properties.clock_khz},
      {kCuMultiprocessorCount, properties.multiprocessors},
      {kCuMemoryClockRateKhz, properties.memory_clock_khz},
      {kCuL2CacheSize, properties.l2_bytes},
      {kCuMaxThreadsPerMultiprocessor, properties.max_threads_per_multiprocessor},
      {kCuMaxSharedMemoryPerBlockOptin, static_cast<int>(properties.shared_bytes_per_block)},
  };
  const auto at = values.find(which);
  *value = at == values.end() ? 0 : at->second;
  return at == values.end() ? kNotSupported : kCuSuccess;
}

/// HIP has one context for each device, which it makes by itself.
CuResult retain(CuContext* context, CuDevice device) {
  *context = nullptr;
  return hip().hipSetDevice(device);
}

CuResult launch(const CuLaunchConfig* config, CuFunction function, void** arguments, void** extra) {
  if (config->attribute_count > 0) {
    return kNotSupported;
  }
  const auto [gx, gy, gz] = config->grid;
  const auto [bx, by, bz] = config->block;
  return hip().hipModuleLaunchKernel(function, gx, gy, gz, bx, by, bz, config->shared_bytes,
                                     config->stream, arguments, extra);
}

CuResult allocate(CuDevicePtr* address, std::size_t bytes) {
  void* memory = nullptr;
  const CuResult code = hip().hipMalloc(&memory, bytes);
  *address = reinterpret_cast<CuDevicePtr>(memory);
  return code;
}

CuResult find_global(CuDevicePtr* address, std::size_t* bytes, CuModule module, const char* name) {
  void* memory = nullptr;
  const CuResult code = hip().hipModuleGetGlobal(&memory, bytes, module, name);
  *address = reinterpret_cast<CuDevicePtr>(memory);
  return code;
}

/// Adds the functions that differ only in the types of addresses.
void add_alike(DriverTable& table) {
  table.cuInit = hip().hipInit;
  table.cuDeviceGetCount = hip().hipGetDeviceCount;
  table.cuDeviceGetUuid = hip().hipDeviceGetUuid;
  table.cuModuleUnload = hip().hipModuleUnload;
  table.cuModuleGetFunction = hip().hipModuleGetFunction;
  table.cuFuncGetAttribute = hip().hipFuncGetAttribute;
  table.cuLaunchKernel = hip().hipModuleLaunchKernel;
  table.cuMemGetInfo = hip().hipMemGetInfo;
  table.cuMemHostRegister = hip().hipHostRegister;
  table.cuMemHostUnregister = hip().hipHostUnregister;
  table.cuStreamDestroy = hip().hipStreamDestroy;
  table.cuStreamSynchronize = hip().hipStreamSynchronize;
  table.cuEventCreate = hip().hipEventCreateWithFlags;
  table.cuEventDestroy = hip().hipEventDestroy;
  table.cuEventSynchronize = hip().hipEventSynchronize;
  table.cuEventElapsedTime = hip().hipEventElapsedTime;
  table.cuModuleLoadDataEx = [](CuModule* module, const void* code, unsigned, int*, void**) {
    return hip().hipModuleLoadData(module, code);
  };
  table.cuMemFree = [](CuDevicePtr address) { return hip().hipFree(pointer(address)); };
  table.cuMemcpyHtoDAsync = [](CuDevicePtr to, const void* from, std::size_t bytes,
                               CuStream stream) {
    return hip().hipMemcpyHtoDAsync(pointer(to), const_cast<void*>(from), bytes, stream);
  };
  table.cuMemcpyDtoHAsync = [](void* to, CuDevicePtr from, std::size_t bytes, CuStream stream) {
    return hip().hipMemcpyDtoHAsync(to, pointer(from), bytes, stream);
  };
  table.cuMemcpyDtoDAsync = [](CuDevicePtr to, CuDevicePtr from, std::size_t bytes,
                               CuStream stream) {
    return hip().hipMemcpyDtoDAsync(pointer(to), pointer(from), bytes, stream);
  };
  table.cuMemsetD32Async = [](CuDevicePtr to, unsigned value, std::size_t count, CuStream stream) {
    return hip().hipMemsetD32Async(pointer(to), static_cast<int>(value), count, stream);
  };
  table.cuStreamCreate = [](CuStream* stream, unsigned) {
    return hip().hipStreamCreateWithFlags(stream, kNonBlockingStream);
  };
  table.cuEventRecordWithFlags = [](CuEvent event, CuStream stream, unsigned) {
    return hip().hipEventRecord(event, stream);
  };
}

/// Adds the functions that HIP has in another form, or does not need: its limits and caches are its
/// own, and LDS needs no permission.
void add_others(DriverTable& table) {
  table.cuDriverGetVersion = version;
  table.cuGetErrorName = error_name;
  table.cuGetErrorString = error_text;
  table.cuDeviceGetName = device_name;
  table.cuDeviceTotalMem = total_memory;
  table.cuDeviceGetAttribute = attribute;
  table.cuDevicePrimaryCtxRetain = retain;
  table.cuModuleGetGlobal = find_global;
  table.cuMemAlloc = allocate;
  table.cuLaunchKernelEx = launch;
  table.cuDeviceGet = [](CuDevice* device, int index) {
    *device = index;
    return kCuSuccess;
  };
  table.cuCtxSetCurrent = [](CuContext) { return kCuSuccess; };
  table.cuCtxSetLimit = [](int, std::size_t) { return kCuSuccess; };
  table.cuCtxResetPersistingL2Cache = []() { return kCuSuccess; };
  table.cuFuncSetAttribute = [](CuFunction, int, int) { return kCuSuccess; };
  table.cuTensorMapEncodeTiled = [](CuTensorMap*, int, unsigned, void*, const std::uint64_t*,
                                    const std::uint64_t*, const unsigned*, const unsigned*, int,
                                    int, int, int) { return kNotSupported; };
  table.cuTexObjectCreate = [](CuTexObject*, const CuTextureSource*, const CuTextureForm*,
                               const void*) { return kNotSupported; };
  table.cuArray3DCreate = [](CuArray*, const CuArrayForm*) { return kNotSupported; };
}

Result<void*> open_library(const std::string& library) {
  const std::array kDefaults = {"libamdhip64.so.6", "libamdhip64.so.5"};
  void* opened = library.empty() ? nullptr : ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const char* name : kDefaults) {
    opened = opened != nullptr || !library.empty() ? opened : ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (opened == nullptr) {
    return fail(ErrorCode::kUnsupported, "no HIP runtime is installed", kInstallHint, ::dlerror());
  }
  return opened;
}

Status find_functions(void* library) {
  const auto find = [library](const char* name, auto& slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(::dlsym(library, name));
    return slot != nullptr;
  };
  const char* missing = nullptr;
#define WS_HIP(name, parameters) \
  missing = find(#name, hip().name) || missing != nullptr ? missing : #name;
#include "runtime/device/hip/hip_functions.def"
#undef WS_HIP
  const bool texts = find("hipGetErrorName", hip().hipGetErrorName) &&
                     find("hipGetErrorString", hip().hipGetErrorString);
  missing = missing == nullptr && !texts ? "hipGetErrorString" : missing;
  if (missing != nullptr) {
    return fail(ErrorCode::kUnsupported, std::string("the HIP runtime has no ") + missing,
                kInstallHint);
  }
  return {};
}

}  // namespace

Result<Driver> open_driver(const std::string& library) {
  WS_TRY(void* const opened, open_library(library));
  WS_CHECK(find_functions(opened));
  DriverTable table;
  add_alike(table);
  add_others(table);
  Dialect dialect;
  dialect.maker = DriverMaker::kHip;
  dialect.name = "HIP runtime";
  dialect.hint = "see whether rocminfo works here";
  dialect.graphs = false;
  dialect.ptx = false;
  dialect.arch = arch_name;
  Driver driver(table, dialect);
  int count = 0;
  CuResult code = table.cuInit(0);
  code = code == kCuSuccess ? table.cuDeviceGetCount(&count) : code;
  if (code != kCuSuccess || count == 0) {
    Error error = driver.check(code == kCuSuccess ? kNoDevice : code, "hipInit").error();
    error.code = ErrorCode::kUnsupported;
    error.message = code == kCuSuccess || code == kNoDevice ? "the HIP runtime finds no GPU"
                                                            : "the HIP runtime does not start";
    error.hint = dialect.hint;
    return fail(std::move(error));
  }
  return driver;
}

}  // namespace ws::hip
