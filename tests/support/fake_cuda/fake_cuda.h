// A CUDA driver for tests, without a GPU: libws_fake_cuda.so. Host memory stands for device memory;
// streams run everything at once; a "cubin" is a text whose lines name entries and variables:
//
//   entry add_one
//   variable counter 4
//
// An entry is one of the functions in kernels.cpp, or scripted by its name:
//   fault_NNN    the next synchronisation answers NNN, and so does every call after it
//   refuse_NNN   the launch answers NNN
//   hang         the next synchronisation does not return
//
// The file's own name scripts the driver itself, so that a test needs a copy or a link only:
//   *.init_NNN.so   cuInit answers NNN
//   *.devices_N.so  there are N devices, all alike
//   *.small.so      the device has 300 MiB
//   *.old.so        cuGetProcAddress_v2 finds nothing
//   *.unpinned.so   cuMemHostRegister refuses
//   *.throttled.so  is used as the management library too: see nvml.cpp
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/device/cuda/driver/driver_types.h"

namespace ws::fake_cuda {

using namespace ws::cuda;

struct Variable {
  std::vector<unsigned char> bytes;
};

/// A module that cuModuleLoadDataEx made.
struct LoadedModule {
  std::map<std::string, Variable> variables;
  std::vector<std::string> entries;
};

/// A function that cuModuleGetFunction gives.
struct Entry {
  std::string name;
  LoadedModule* module = nullptr;
  std::map<int, int> attributes;  ///< Those that cuFuncSetAttribute set.
};

/// The arguments of cuTensorMapEncodeTiled; a tensor map holds the address of one.
struct MapRecord {
  int type = 0;
  CuDevicePtr address = 0;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;
  std::vector<unsigned> box;
  std::vector<unsigned> element_strides;
  std::array<int, 4> modes = {};  ///< Interleave, swizzle, promotion, fill.
};

/// A CUarray: its form, and its elements without gaps.
struct ArrayRecord {
  CuArrayForm form;
  std::vector<unsigned char> bytes;
};

/// The arguments of cuTexObjectCreate; a handle is the address of one.
struct TextureRecord {
  CuTextureSource source;
  CuTextureForm form;
};

struct Launch {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::map<int, std::array<unsigned, 3>>
      attributes;  ///< The attributes of the launch, by their numbers.
  const Entry* entry = nullptr;
  void** arguments = nullptr;
  const std::map<CuDevicePtr, std::size_t>* blocks = nullptr;  ///< All device memory.
};

using KernelFn = void (*)(const Launch&);

struct Kernel {
  const char* name;
  std::vector<std::size_t> parameters;  ///< The size of each.
  KernelFn function;
};

/// A recorded event's time, in ticks: one for each call that would take time on a device.
struct EventState {
  std::uint64_t at = 0;
};

struct GraphState {
  std::vector<std::function<CuResult()>> nodes;
  std::vector<const Entry*> kernels;  ///< Those of the nodes that launch one, in order.
};

struct Driver {
  std::string file_name;
  std::uint64_t ticks = 0;
  CuResult sticky = kCuSuccess;   ///< Answered by every call once it was reported.
  CuResult pending = kCuSuccess;  ///< Becomes sticky at the next synchronisation.
  bool hanging = false;
  GraphState* capturing = nullptr;
  std::size_t used = 0;
  int modules_loaded = 0;
  std::map<CuDevicePtr, std::size_t> blocks;
  std::set<const void*> pinned;  ///< Memory of the host, by its first byte.
  int textures = 0;              ///< Arrays and texture objects that were not destroyed.
  int array_copies = 0;
};

Driver& driver();

/// Runs now, or is kept for the graph.
CuResult enqueue(std::function<CuResult()> work);

template <typename Handle, typename T>
Handle handle_of(T* object) {
  return reinterpret_cast<Handle>(object);
}

template <typename T, typename Handle>
T* object_of(Handle handle) {
  return reinterpret_cast<T*>(handle);
}

#define WS_CU(name, version, parameters) CuResult name parameters;
#include "runtime/device/cuda/driver/driver_functions.def"
#undef WS_CU
#define WS_CU_OPTIONAL(name, version, parameters) CuResult name parameters;
#include "runtime/device/cuda/driver/optional_functions.def"
#undef WS_CU_OPTIONAL

/// By name, or null: a scripted entry, or none at all.
const Kernel* find_kernel(const std::string& name);

/// The number after `word` in `text`; 0 when it is not there.
int number_after(const std::string& text, const std::string& word);

}  // namespace ws::fake_cuda
