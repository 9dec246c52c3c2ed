// Modules, functions and launches of the fake driver.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string_view>

#include "tests/support/fake_cuda/fake_cuda.h"

namespace ws::fake_cuda {
namespace {

constexpr CuResult kNotFound = 500;

}  // namespace

CuResult cuLinkCreate(unsigned, int*, void**, CuLinkState* state) {
  *state = handle_of<CuLinkState>(new std::string);
  return driver().sticky;
}

/// Its machine code is the text itself.
CuResult cuLinkAddData(CuLinkState state, int, void* data, std::size_t bytes, const char*, unsigned,
                       int*, void**) {
  const std::string_view text(static_cast<const char*>(data), bytes);
  object_of<std::string>(state)->append(text.substr(0, text.find('\0')));
  return driver().sticky;
}

CuResult cuLinkComplete(CuLinkState state, void** code, std::size_t* bytes) {
  *code = object_of<std::string>(state)->data();
  *bytes = object_of<std::string>(state)->size();
  return driver().sticky;
}

CuResult cuLinkDestroy(CuLinkState state) {
  delete object_of<std::string>(state);
  return kCuSuccess;
}

CuResult cuModuleLoadDataEx(CuModule* module, const void* code, unsigned, int*, void**) {
  if (driver().sticky != kCuSuccess) {
    return driver().sticky;
  }
  ++driver().modules_loaded;
  auto* loaded = new LoadedModule;
  std::istringstream lines(static_cast<const char*>(code));
  std::string word;
  std::string name;
  while (lines >> word) {
    if (word == "entry" && lines >> name) {
      loaded->entries.push_back(name);
    } else if (word == ".entry" && std::getline(lines, name, '(')) {
      loaded->entries.push_back(name.substr(1));  // PTX: our own helpers.
    } else if (word == "variable" && lines >> name) {
      std::size_t size = 0;
      lines >> size;
      loaded->variables[name].bytes.resize(size);
    }
  }
  *module = handle_of<CuModule>(loaded);
  return kCuSuccess;
}

CuResult cuModuleUnload(CuModule module) {
  delete object_of<LoadedModule>(module);
  return driver().sticky;
}

CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  auto* loaded = object_of<LoadedModule>(module);
  const auto& entries = loaded->entries;
  if (std::find(entries.begin(), entries.end(), name) == entries.end()) {
    return kNotFound;
  }
  // Lives as long as the process: a few for each test.
  *function = handle_of<CuFunction>(new Entry{name, loaded, {}});
  return kCuSuccess;
}

CuResult cuModuleGetGlobal(CuDevicePtr* address, std::size_t* bytes, CuModule module,
                           const char* name) {
  auto* loaded = object_of<LoadedModule>(module);
  const auto at = loaded->variables.find(name);
  if (at == loaded->variables.end()) {
    return kNotFound;
  }
  *address = reinterpret_cast<CuDevicePtr>(at->second.bytes.data());
  *bytes = at->second.bytes.size();
  return kCuSuccess;
}

CuResult cuFuncGetAttribute(int* value, int which, CuFunction function) {
  const bool local = which == kCuFuncLocalSizeBytes;
  *value = local ? number_after(object_of<Entry>(function)->name, "local_") : 0;
  return kCuSuccess;
}

CuResult cuFuncSetAttribute(CuFunction function, int which, int value) {
  object_of<Entry>(function)->attributes[which] = value;
  return kCuSuccess;
}

CuResult cuFuncGetParamInfo(CuFunction function, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  const Kernel* kernel = find_kernel(object_of<Entry>(function)->name);
  const std::vector<std::size_t> sizes =
      kernel == nullptr ? std::vector<std::size_t>{8, 4} : kernel->parameters;
  if (index >= sizes.size()) {
    return 1;
  }
  *offset = index * 8;
  *size = sizes[index];
  return kCuSuccess;
}

static CuResult run_entry(const Launch& launch) {
  const std::string& name = launch.entry->name;
  ++driver().ticks;
  if (const int fault = number_after(name, "fault_"); fault != 0) {
    driver().pending = fault;
  }
  driver().hanging = driver().hanging || name == "hang";
  if (const Kernel* kernel = find_kernel(name)) {
    kernel->function(launch);
  }
  return kCuSuccess;
}

CuResult cuLaunchKernelEx(const CuLaunchConfig* config, CuFunction function, void** arguments,
                          void**) {
  const Entry& entry = *object_of<Entry>(function);
  if (const int refused = number_after(entry.name, "refuse_"); refused != 0) {
    return refused;
  }
  Launch launch;
  launch.grid = config->grid;
  launch.block = config->block;
  launch.shared_bytes = config->shared_bytes;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const CuLaunchAttribute& attribute = config->attributes[i];
    launch.attributes[attribute.id] = {attribute.value[0], attribute.value[1], attribute.value[2]};
  }
  launch.entry = &entry;
  launch.arguments = arguments;
  launch.blocks = &driver().blocks;
  if (driver().capturing != nullptr) {
    driver().capturing->kernels.push_back(&entry);
  }
  return enqueue([launch] { return run_entry(launch); });
}

CuResult cuLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CuStream stream,
                        void** arguments, void** extra) {
  const CuLaunchConfig config = {{gx, gy, gz}, {bx, by, bz}, shared, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, arguments, extra);
}

CuResult cuTensorMapEncodeTiled(CuTensorMap* map, int type, unsigned rank, void* address,
                                const std::uint64_t* shape, const std::uint64_t* strides,
                                const unsigned* box, const unsigned* element_strides,
                                int interleave, int swizzle, int promotion, int fill) {
  constexpr std::uintptr_t kMapAlignment = 128;
  if (reinterpret_cast<std::uintptr_t>(map) % kMapAlignment != 0) {
    return 1;
  }
  // Lives as long as the process: a few for each test.
  const auto* record = new MapRecord{type,
                                     reinterpret_cast<CuDevicePtr>(address),
                                     {shape, shape + rank},
                                     {strides, strides + rank - 1},
                                     {box, box + rank},
                                     {element_strides, element_strides + rank},
                                     {interleave, swizzle, promotion, fill}};
  std::memcpy(map->bytes.data(), &record, sizeof record);
  return kCuSuccess;
}

}  // namespace ws::fake_cuda
