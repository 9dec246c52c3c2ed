#include "runtime/device/cuda/worker/context.h"

#include <array>
#include <vector>

#include "runtime/device/cuda/arch.h"
#include "runtime/device/cuda/worker/helper_kernels.h"

namespace ws::cuda {
namespace {

/// The buffer for one kernel's prints; older ones are overwritten.
constexpr std::size_t kPrintfBytes = std::size_t{256} << 10U;
constexpr unsigned kHelperThreads = 1024;
/// The first compute capability with priorities of cache lines.
constexpr int kFirstWithPriorities = 80;

}  // namespace

Result<std::unique_ptr<Context>> Context::attach(const Driver& driver, int index,
                                                 const std::string& helpers) {
  std::unique_ptr<Context> context(new Context(driver));
  WS_CHECK(context->start(index, helpers));
  return context;
}

Status Context::start(int index, const std::string& helpers) {
  WS_TRY(device_, describe_device(driver_, index));
  CuDevice device = 0;
  WS_CHECK(WS_CU_CALL(driver_, cuDeviceGet, &device, index));
  index_ = index;
  WS_CHECK(WS_CU_CALL(driver_, cuDevicePrimaryCtxRetain, &handle_, device));
  WS_CHECK(WS_CU_CALL(driver_, cuCtxSetCurrent, handle_));
  WS_CHECK(WS_CU_CALL(driver_, cuCtxSetLimit, kCuPrintfFifoSize, kPrintfBytes));
  // Memory that a kernel allocates would outlive its launch. Some drivers keep a minimum: no error.
  driver_.api().cuCtxSetLimit(kCuMallocHeapSize, 0);
  // Lines that are kept in the cache would survive its flush. Not every GPU has them.
  driver_.api().cuCtxSetLimit(kCuPersistingL2CacheSize, 0);
  WS_TRY(stream_, make_stream(driver_));
  helpers_code_ = helpers;
  if (driver_.dialect().ptx) {
    std::vector<const char*> sources = {kHelperPtx};
    has_priorities_ = compute_capability(device_.arch) >= kFirstWithPriorities;
    if (has_priorities_) {
      sources.push_back(kEvictablePtx);
    }
    WS_TRY(helpers_code_, compile_ptx(driver_, sources));
  }
  return renew_helpers();
}

Status Context::renew_helpers() {
  helpers_ = Module();
  WS_TRY(helpers_, load_module(driver_, helpers_code_.c_str()));
  WS_TRY(poison_shared_, find_function(driver_, helpers_, "ws_poison_shared"));
  if (has_priorities_) {
    WS_TRY(make_evictable_, find_function(driver_, helpers_, "ws_make_evictable"));
  }
  return WS_CU_CALL(driver_, cuFuncSetAttribute, poison_shared_, kCuFuncMaxDynamicSharedBytes,
                    static_cast<int>(device_.max_shared_bytes));
}

Status Context::synchronize() {
  return WS_CU_CALL(driver_, cuStreamSynchronize, stream_.get());
}

Status Context::make_evictable(CuDevicePtr address, std::uint64_t bytes) {
  if (make_evictable_ == nullptr) {
    return {};
  }
  std::array<void*, 2> arguments = {&address, &bytes};
  return WS_CU_CALL(driver_, cuLaunchKernel, make_evictable_,
                    static_cast<unsigned>(device_.sm_count), 1, 1, kHelperThreads, 1, 1, 0,
                    stream_.get(), arguments.data(), nullptr);
}

Result<std::string> Context::compiled(const std::string& name, const std::string& ptx) {
  const auto known = compiled_.find(name);
  if (known != compiled_.end()) {
    return known->second;
  }
  WS_TRY(std::string code, compile_ptx(driver_, {ptx.c_str()}));
  return compiled_.emplace(name, std::move(code)).first->second;
}

Status Context::poison_shared(PoisonKeys keys) {
  const auto bytes = static_cast<unsigned>(device_.max_shared_bytes);
  std::uint32_t words = bytes / sizeof words;
  std::array<void*, 2> arguments = {keys.data(), &words};
  return WS_CU_CALL(driver_, cuLaunchKernel, poison_shared_,
                    static_cast<unsigned>(device_.sm_count), 1, 1, kHelperThreads, 1, 1, bytes,
                    stream_.get(), arguments.data(), nullptr);
}

}  // namespace ws::cuda
