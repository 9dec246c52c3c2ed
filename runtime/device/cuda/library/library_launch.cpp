#include "runtime/device/cuda/library/library_launch.h"

#include "runtime/device/cuda/library/attention.h"
#include "runtime/device/cuda/library/gemm.h"
#include "runtime/device/cuda/library/launched_kernels.h"

namespace ws::cuda {
namespace {

Result<std::unique_ptr<LibraryLaunch>> make(Context& context, const LibraryJob& job,
                                            const std::vector<CuDevicePtr>& buffers) {
  if (const auto* const gemm = std::get_if<GemmCall>(&job.call)) {
    return make_gemm(context, job.path, *gemm, buffers);
  }
  return make_attention(context, job.path, std::get<AttentionCall>(job.call), buffers);
}

}  // namespace

Result<std::unique_ptr<LibraryLaunch>> make_library_launch(
    Context& context, const LibraryJob& job, const std::vector<CuDevicePtr>& buffers) {
  WS_TRY(std::unique_ptr<LibraryLaunch> launch, make(context, job, buffers));
  WS_TRY(const std::vector<std::string> kernels,
         launched_kernels(context, [&] { return launch->enqueue(); }));
  launch->name_kernels(kernels);
  return launch;
}

}  // namespace ws::cuda
