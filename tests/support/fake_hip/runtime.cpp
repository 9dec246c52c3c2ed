// A HIP runtime for tests, without a GPU: libws_fake_hip.so. HIP's functions on the fake CUDA
// driver, whose header says how entries and the file's own name script it.
#include <cstring>
#include <string_view>

#include <dlfcn.h>

#include "runtime/device/hip/hip_types.h"
#include "tests/support/fake_cuda/fake_cuda.h"

using namespace ws::fake_cuda;

namespace {

constexpr unsigned kNonBlocking = 1;

CuDevicePtr address(const void* pointer) {
  return reinterpret_cast<CuDevicePtr>(pointer);
}

template <std::size_t Size>
void set_text(std::array<char, Size>& into, std::string_view text) {
  into = {};
  text.copy(into.data(), Size - 1);
}

}  // namespace

extern "C" {

int hipInit(unsigned flags) {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&hipInit), &self) != 0) {
    driver().file_name = self.dli_fname;
  }
  return cuInit(flags);
}

int hipDriverGetVersion(int* version) {
  *version = 50221153;
  return kCuSuccess;
}

const char* hipGetErrorName(int code) {
  const char* name = nullptr;
  cuGetErrorName(code, &name);
  return name;
}

const char* hipGetErrorString(int /*code*/) {
  return "as scripted";
}

int hipGetDeviceCount(int* count) {
  *count = driver().file_name.find(".empty.") == std::string::npos ? 1 : 0;
  return kCuSuccess;
}

int hipSetDevice(int device) {
  return device == 0 ? kCuSuccess : 101;
}

int hipGetDeviceProperties(ws::hip::HipProperties* properties, int device) {
  if (device != 0) {
    return 101;
  }
  set_text(properties->name, "Fake AMD GPU");
  set_text(properties->arch_name, "gfx90a:sramecc+:xnack-");
  cuDeviceTotalMem(&properties->memory_bytes, device);
  properties->shared_bytes_per_block = 65536;
  properties->warp_size = 64;
  properties->max_threads_per_block = 1024;
  properties->max_block = {1024, 1024, 1024};
  properties->max_grid = {2147483647, 65536, 65536};
  properties->clock_khz = 1700000;
  properties->memory_clock_khz = 1600000;
  properties->multiprocessors = 104;
  properties->l2_bytes = 1 << 20U;
  properties->max_threads_per_multiprocessor = 2048;
  return kCuSuccess;
}

int hipDeviceGetUuid(CuUuid* uuid, int device) {
  const int code = cuDeviceGetUuid(uuid, device);
  uuid->bytes[0] = 0xad;  // Another lock than the fake CUDA GPU's.
  return code;
}

int hipModuleLoadData(CuModule* module, const void* code) {
  return cuModuleLoadDataEx(module, code, 0, nullptr, nullptr);
}

int hipModuleUnload(CuModule module) {
  return cuModuleUnload(module);
}

int hipModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  return cuModuleGetFunction(function, module, name);
}

int hipModuleGetGlobal(void** pointer, std::size_t* bytes, CuModule module, const char* name) {
  CuDevicePtr found = 0;
  const int code = cuModuleGetGlobal(&found, bytes, module, name);
  *pointer = reinterpret_cast<void*>(found);
  return code;
}

int hipFuncGetAttribute(int* value, int which, CuFunction function) {
  return cuFuncGetAttribute(value, which, function);
}

int hipModuleLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, CuStream stream,
                          void** arguments, void** extra) {
  return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}

int hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return cuMemGetInfo(free, total);
}

int hipMalloc(void** pointer, std::size_t bytes) {
  CuDevicePtr memory = 0;
  const int code = cuMemAlloc(&memory, bytes);
  *pointer = reinterpret_cast<void*>(memory);
  return code;
}

int hipFree(void* pointer) {
  return cuMemFree(address(pointer));
}

int hipHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return cuMemHostRegister(memory, bytes, flags);
}

int hipHostUnregister(void* memory) {
  return cuMemHostUnregister(memory);
}

int hipMemcpyHtoDAsync(void* to, void* from, std::size_t bytes, CuStream stream) {
  return cuMemcpyHtoDAsync(address(to), from, bytes, stream);
}

int hipMemcpyDtoHAsync(void* to, void* from, std::size_t bytes, CuStream stream) {
  return cuMemcpyDtoHAsync(to, address(from), bytes, stream);
}

int hipMemcpyDtoDAsync(void* to, void* from, std::size_t bytes, CuStream stream) {
  return cuMemcpyDtoDAsync(address(to), address(from), bytes, stream);
}

int hipMemsetD32Async(void* to, int value, std::size_t count, CuStream stream) {
  return cuMemsetD32Async(address(to), static_cast<unsigned>(value), count, stream);
}

int hipStreamCreateWithFlags(CuStream* stream, unsigned flags) {
  return flags == kNonBlocking ? cuStreamCreate(stream, flags) : 1;
}

int hipStreamDestroy(CuStream stream) {
  return cuStreamDestroy(stream);
}

int hipStreamSynchronize(CuStream stream) {
  return cuStreamSynchronize(stream);
}

int hipEventCreateWithFlags(CuEvent* event, unsigned flags) {
  return cuEventCreate(event, flags);
}

int hipEventDestroy(CuEvent event) {
  return cuEventDestroy(event);
}

int hipEventRecord(CuEvent event, CuStream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

int hipEventSynchronize(CuEvent event) {
  return cuEventSynchronize(event);
}

int hipEventElapsedTime(float* milliseconds, CuEvent start, CuEvent stop) {
  return cuEventElapsedTime(milliseconds, start, stop);
}

}  // extern "C"
