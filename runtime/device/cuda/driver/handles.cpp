#include "runtime/device/cuda/driver/handles.h"

#include <algorithm>
#include <cstring>

namespace ws::cuda {

Result<Memory> allocate(Driver& driver, std::uint64_t bytes) {
  // The memory that the driver keeps for itself: stacks and printf's buffer grow when a kernel is
  // launched.
  constexpr std::uint64_t kReserve = std::uint64_t{256} << 20U;
  std::size_t free = 0;
  std::size_t total = 0;
  WS_CHECK(WS_CU_CALL(driver, cuMemGetInfo, &free, &total));
  if (bytes + kReserve > free) {
    return fail(ErrorCode::kInvalidArgument,
                "the buffers need " + std::to_string(bytes >> 20U) + " MiB on the GPU, " +
                    std::to_string(free >> 20U) + " MiB are free, of which " +
                    std::to_string(kReserve >> 20U) + " are kept for the driver",
                "choose a smaller workload, or end other programs that use the GPU");
  }
  CuDevicePtr address = 0;
  WS_CHECK(WS_CU_CALL(driver, cuMemAlloc, &address, std::max<std::uint64_t>(bytes, 1)));
  return Memory(driver, address);
}

Result<Region> allocate_pages(Driver& driver, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20U;  // Smaller requests share one.
  Region region;
  region.bytes = bytes;
  region.mapped = (bytes + kPage - 1) / kPage * kPage;
  if (bytes > 0) {
    WS_TRY(region.memory, allocate(driver, region.mapped));
  }
  return region;
}

Status overwrite(Driver& driver, CuStream stream, const Region& region, std::uint64_t from,
                 std::uint32_t word) {
  const std::uint64_t begin = (from + sizeof word - 1) / sizeof word * sizeof word;
  if (begin >= region.mapped) {
    return {};
  }
  return WS_CU_CALL(driver, cuMemsetD32Async, region.get() + begin, word,
                    (region.mapped - begin) / sizeof word, stream);
}

Result<Stream> make_stream(Driver& driver) {
  CuStream stream = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuStreamCreate, &stream, kCuStreamNonBlocking));
  return Stream(driver, stream);
}

Result<Event> make_event(Driver& driver) {
  CuEvent event = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuEventCreate, &event, kCuEventDefault));
  return Event(driver, event);
}

Result<std::string> compile_ptx(Driver& driver, const std::vector<const char*>& sources) {
  CuLinkState started = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuLinkCreate, 0, nullptr, nullptr, &started));
  const LinkState state(driver, started);
  for (const char* source : sources) {
    std::string text(source, std::strlen(source) + 1);
    WS_CHECK(WS_CU_CALL(driver, cuLinkAddData, started, kCuJitInputPtx, text.data(), text.size(),
                        "warpsmith", 0, nullptr, nullptr));
  }
  void* code = nullptr;
  std::size_t bytes = 0;
  WS_CHECK(WS_CU_CALL(driver, cuLinkComplete, started, &code, &bytes));
  return std::string(static_cast<const char*>(code), bytes);
}

Result<Module> load_module(Driver& driver, const char* code) {
  CuModule module = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuModuleLoadDataEx, &module, code, 0, nullptr, nullptr));
  return Module(driver, module);
}

Result<CuFunction> find_function(Driver& driver, const Module& module, const char* name) {
  CuFunction function = nullptr;
  WS_CHECK(WS_CU_CALL(driver, cuModuleGetFunction, &function, module.get(), name));
  return function;
}

}  // namespace ws::cuda
