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
//   *.small.so      the device has 300 MiB
//   *.old.so        cuGetProcAddress_v2 finds nothing
//   *.throttled.so  is used as the management library too: see nvml.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/device/cuda/driver_types.h"

namespace ws::fake_cuda {

using namespace ws::cuda;

struct Variable {
  std::vector<unsigned char> bytes;
};

/// What cuModuleLoadDataEx made.
struct LoadedModule {
  std::map<std::string, Variable> variables;
  std::vector<std::string> entries;
};

/// What cuModuleGetFunction gives.
struct Entry {
  std::string name;
  LoadedModule* module = nullptr;
};

struct Launch {
  unsigned grid = 1;   ///< Blocks in x.
  unsigned block = 1;  ///< Threads in x.
  void** arguments = nullptr;
  LoadedModule* module = nullptr;
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
};

struct Driver {
  std::string file_name;
  std::uint64_t ticks = 0;
  CuResult sticky = kCuSuccess;   ///< Answered by every call once it was reported.
  CuResult pending = kCuSuccess;  ///< Becomes sticky at the next synchronisation.
  bool hanging = false;
  GraphState* capturing = nullptr;
  std::size_t used = 0;
  std::map<CuDevicePtr, std::size_t> blocks;
};

/// By name, or null: a scripted entry, or none at all.
const Kernel* find_kernel(const std::string& name);

/// The number behind `word` in `text`; 0 when it is not there.
int number_after(const std::string& text, const std::string& word);

}  // namespace ws::fake_cuda
