#include "runtime/device/cuda/worker/local_poison.h"

#include <array>
#include <string>

#include "runtime/device/cuda/worker/helper_kernels.h"

namespace ws::cuda {
namespace {

constexpr std::int64_t kThreads = 256;
/// The driver gives memory to threads by multiples of it.
constexpr std::uint64_t kGranule = 16;

}  // namespace

Result<LocalPoison> LocalPoison::create(Context& context, std::uint64_t bytes_per_thread) {
  LocalPoison poison;
  const std::uint64_t bytes = (bytes_per_thread + kGranule - 1) / kGranule * kGranule;
  if (bytes == 0 || !context.driver().dialect().ptx) {
    return poison;
  }
  std::string code = kLocalPoisonPtx;
  constexpr std::string_view kSize = "BYTES";
  code.replace(code.find(kSize), kSize.size(), std::to_string(bytes));
  WS_TRY(poison.module_, load_module(context.driver(), code.c_str()));
  WS_TRY(poison.function_, find_function(context.driver(), poison.module_, "ws_poison_local"));
  poison.words_ = static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
  return poison;
}

Status LocalPoison::enqueue(Context& context, PoisonKeys keys) {
  if (function_ == nullptr) {
    return {};
  }
  const CudaDevice& device = context.device();
  const auto blocks =
      static_cast<unsigned>(device.sm_count * (device.max_threads_per_sm / kThreads));
  std::array<void*, 2> arguments = {keys.data(), &words_};
  return WS_CU_CALL(context.driver(), cuLaunchKernel, function_, blocks, 1, 1,
                    static_cast<unsigned>(kThreads), 1, 1, 0, context.stream(), arguments.data(),
                    nullptr);
}

}  // namespace ws::cuda
