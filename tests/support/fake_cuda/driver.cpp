// The driver's functions, each found by cuGetProcAddress_v2.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include <dlfcn.h>
#include <unistd.h>

#include "tests/support/fake_cuda/fake_cuda.h"

namespace ws::fake_cuda {
namespace {

constexpr CuResult kOutOfMemory = 2;
constexpr CuResult kAlreadyPinned = 712;
constexpr CuResult kNotPinned = 713;
constexpr CuResult kInvalidDevice = 101;
constexpr std::size_t kMiB = std::size_t{1} << 20U;

bool scripted(const char* word) {
  return driver().file_name.find(word) != std::string::npos;
}

int device_count() {
  return std::max(1, number_after(driver().file_name, ".devices_"));
}

std::size_t memory_bytes() {
  constexpr std::size_t kLarge = 81920;
  return (scripted(".small.") ? 300 : scripted(".large.") ? kLarge : 4096) * kMiB;
}

}  // namespace

Driver& driver() {
  static Driver state;
  return state;
}

CuResult enqueue(std::function<CuResult()> work) {
  if (driver().sticky != kCuSuccess) {
    return driver().sticky;
  }
  if (driver().capturing != nullptr) {
    driver().capturing->nodes.push_back(std::move(work));
    return kCuSuccess;
  }
  return work();
}

CuResult cuInit(unsigned) {
  return number_after(driver().file_name, ".init_");
}

CuResult cuDriverGetVersion(int* version) {
  *version = 13000;
  return kCuSuccess;
}

CuResult cuGetErrorName(CuResult code, const char** name) {
  static std::string text;
  text = "FAKE_ERROR_" + std::to_string(code);
  *name = text.c_str();
  return kCuSuccess;
}

CuResult cuGetErrorString(CuResult, const char** text) {
  *text = "as scripted";
  return kCuSuccess;
}

CuResult cuDeviceGetCount(int* count) {
  *count = device_count();
  return kCuSuccess;
}

CuResult cuDeviceGet(CuDevice* device, int index) {
  *device = index;
  return index >= 0 && index < device_count() ? kCuSuccess : kInvalidDevice;
}

CuResult cuDeviceGetName(char* name, int size, CuDevice) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
  return kCuSuccess;
}

CuResult cuDeviceGetUuid(CuUuid* uuid, CuDevice device) {
  for (std::size_t i = 0; i < uuid->bytes.size(); ++i) {
    uuid->bytes.at(i) = static_cast<unsigned char>(0xa0 + i);
  }
  uuid->bytes.back() = static_cast<unsigned char>(uuid->bytes.back() + device);
  return kCuSuccess;
}

CuResult cuDeviceTotalMem(std::size_t* bytes, CuDevice) {
  *bytes = memory_bytes();
  return kCuSuccess;
}

CuResult cuDeviceGetAttribute(int* value, int which, CuDevice) {
  static const std::map<int, int> kValues = {
      {kCuMaxThreadsPerBlock, 1024},
      {kCuMaxThreadsPerMultiprocessor, 2048},
      {kCuMaxBlockDimZ, 64},
      {kCuMaxGridDimX, 2147483647},
      {kCuMaxGridDimY, 65535},
      {kCuWarpSize, 32},
      {kCuClockRateKhz, 1980000},
      {kCuMultiprocessorCount, 4},
      {kCuTextureAlignment, 512},
      {kCuTexturePitchAlignment, 32},
      {kCuMemoryClockRateKhz, 2619000},
      {kCuL2CacheSize, 1 << 20U},
      {kCuComputeCapabilityMajor, 9},
      {kCuComputeCapabilityMinor, 0},
      {kCuMaxSharedMemoryPerBlockOptin, 232448},
      {kCuMpsEnabled, 0},
  };
  const auto at = kValues.find(which);
  *value = at == kValues.end() ? 0 : at->second;
  return at == kValues.end() ? 1 : kCuSuccess;
}

CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
  static int only = 0;
  *context = handle_of<CuContext>(&only);
  return kCuSuccess;
}

CuResult cuCtxSetCurrent(CuContext) {
  return kCuSuccess;
}

CuResult cuCtxSetLimit(int, std::size_t) {
  return kCuSuccess;
}

CuResult cuCtxResetPersistingL2Cache() {
  return kCuSuccess;
}

CuResult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = memory_bytes();
  *free = *total - driver().used;
  return driver().sticky;
}

CuResult cuMemAlloc(CuDevicePtr* address, std::size_t bytes) {
  constexpr std::size_t kPage = 2 * kMiB;  // The least that the real driver maps.
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (driver().used + bytes > memory_bytes()) {
    return kOutOfMemory;
  }
  void* memory = std::aligned_alloc(kPage, bytes);
  *address = reinterpret_cast<CuDevicePtr>(memory);
  driver().used += bytes;
  driver().blocks[*address] = bytes;
  return kCuSuccess;
}

CuResult cuMemFree(CuDevicePtr address) {
  driver().used -= driver().blocks[address];
  driver().blocks.erase(address);
  std::free(reinterpret_cast<void*>(address));
  return driver().sticky;
}

CuResult cuMemHostRegister(void* memory, std::size_t, unsigned) {
  return scripted(".unpinned.")                  ? kOutOfMemory
         : driver().pinned.insert(memory).second ? kCuSuccess
                                                 : kAlreadyPinned;
}

CuResult cuMemHostUnregister(void* memory) {
  return driver().pinned.erase(memory) == 1 ? kCuSuccess : kNotPinned;
}

static CuResult copy(void* to, const void* from, std::size_t bytes) {
  return enqueue([=] {
    ++driver().ticks;
    std::memmove(to, from, bytes);
    return kCuSuccess;
  });
}

CuResult cuMemcpyHtoDAsync(CuDevicePtr to, const void* from, std::size_t bytes, CuStream) {
  return copy(reinterpret_cast<void*>(to), from, bytes);
}

CuResult cuMemcpyDtoHAsync(void* to, CuDevicePtr from, std::size_t bytes, CuStream) {
  return copy(to, reinterpret_cast<const void*>(from), bytes);
}

CuResult cuMemcpyDtoDAsync(CuDevicePtr to, CuDevicePtr from, std::size_t bytes, CuStream) {
  return copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

CuResult cuMemsetD32Async(CuDevicePtr to, unsigned value, std::size_t count, CuStream) {
  return enqueue([=] {
    ++driver().ticks;
    std::fill_n(reinterpret_cast<unsigned*>(to), count, value);
    return kCuSuccess;
  });
}

CuResult cuStreamCreate(CuStream* stream, unsigned) {
  static int only = 0;
  *stream = handle_of<CuStream>(&only);
  return kCuSuccess;
}

CuResult cuStreamDestroy(CuStream) {
  return kCuSuccess;
}

CuResult cuStreamSynchronize(CuStream) {
  while (driver().hanging) {
    ::pause();
  }
  if (driver().pending != kCuSuccess) {
    driver().sticky = driver().pending;
  }
  return driver().sticky;
}

CuResult cuStreamBeginCapture(CuStream, int) {
  driver().capturing = new GraphState;
  return driver().sticky;
}

CuResult cuStreamEndCapture(CuStream, CuGraph* graph) {
  *graph = handle_of<CuGraph>(std::exchange(driver().capturing, nullptr));
  return kCuSuccess;
}

CuResult cuEventCreate(CuEvent* event, unsigned) {
  *event = handle_of<CuEvent>(new EventState);
  return kCuSuccess;
}

CuResult cuEventDestroy(CuEvent event) {
  delete object_of<EventState>(event);
  return kCuSuccess;
}

CuResult cuEventRecordWithFlags(CuEvent event, CuStream, unsigned) {
  return enqueue([event] {
    object_of<EventState>(event)->at = driver().ticks;
    return kCuSuccess;
  });
}

/// The work that was enqueued has run, or hangs.
CuResult cuEventSynchronize(CuEvent) {
  return cuStreamSynchronize(nullptr);
}

/// One tick is a microsecond.
CuResult cuEventElapsedTime(float* milliseconds, CuEvent start, CuEvent stop) {
  *milliseconds =
      static_cast<float>(object_of<EventState>(stop)->at - object_of<EventState>(start)->at) / 1000;
  return kCuSuccess;
}

CuResult cuGraphInstantiateWithFlags(CuGraphExec* ready, CuGraph graph, unsigned long long) {
  *ready = handle_of<CuGraphExec>(new GraphState(*object_of<GraphState>(graph)));
  return kCuSuccess;
}

CuResult cuGraphLaunch(CuGraphExec graph, CuStream) {
  for (const auto& node : object_of<GraphState>(graph)->nodes) {
    if (const CuResult code = node(); code != kCuSuccess) {
      return code;
    }
  }
  return driver().sticky;
}

/// Its nodes are the entries that it launches.
CuResult cuGraphGetNodes(CuGraph graph, CuGraphNode* nodes, std::size_t* count) {
  const std::vector<const Entry*>& kernels = object_of<GraphState>(graph)->kernels;
  for (std::size_t i = 0; nodes != nullptr && i < kernels.size(); ++i) {
    nodes[i] = handle_of<CuGraphNode>(const_cast<Entry*>(kernels[i]));
  }
  *count = kernels.size();
  return kCuSuccess;
}

CuResult cuGraphNodeGetType(CuGraphNode, int* type) {
  *type = kCuGraphNodeKernel;
  return kCuSuccess;
}

CuResult cuGraphKernelNodeGetParams(CuGraphNode node, CuKernelNode* kernel) {
  kernel->function = handle_of<CuFunction>(object_of<Entry>(node));
  return kCuSuccess;
}

CuResult cuFuncGetName(const char** name, CuFunction function) {
  *name = object_of<Entry>(function)->name.c_str();
  return kCuSuccess;
}

/// It makes no kernels of a library.
CuResult cuKernelGetName(const char**, CuKernel) {
  return kInvalidDevice;
}

CuResult cuGraphDestroy(CuGraph graph) {
  delete object_of<GraphState>(graph);
  return kCuSuccess;
}

CuResult cuGraphExecDestroy(CuGraphExec graph) {
  delete object_of<GraphState>(graph);
  return kCuSuccess;
}

/// Exactly the functions of the table: a missing one does not link.
static const std::map<std::string, void*>& functions() {
  static const std::map<std::string, void*> kFunctions = {
#define WS_CU(name, version, parameters) {#name, reinterpret_cast<void*>(&name)},
#include "runtime/device/cuda/driver/driver_functions.def"
#undef WS_CU
#define WS_CU_OPTIONAL(name, version, parameters) {#name, reinterpret_cast<void*>(&name)},
#include "runtime/device/cuda/driver/optional_functions.def"
#undef WS_CU_OPTIONAL
  };
  return kFunctions;
}

}  // namespace ws::fake_cuda

extern "C" int cuGetProcAddress_v2(const char* name, void** function, int /*version*/,
                                   std::uint64_t /*flags*/, int* status) {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&cuGetProcAddress_v2), &self) != 0) {
    ws::fake_cuda::driver().file_name = self.dli_fname;
  }
  const auto& functions = ws::fake_cuda::functions();
  const auto at = functions.find(name);
  const bool found = at != functions.end() && !ws::fake_cuda::scripted(".old.");
  *function = found ? at->second : nullptr;
  *status = found ? 0 : 1;
  return 0;
}
