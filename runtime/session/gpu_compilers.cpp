// The compilers of both makers, started when they are first asked for.
#include "runtime/compile/nvrtc_service.h"
#include "runtime/compile/toolkit.h"
#include "runtime/compile/triton_service.h"
#include "runtime/device/cuda/offline_backend.h"
#include "runtime/device/hip/hip_backend.h"
#include "runtime/device/tile/triton_compiler.h"
#include "runtime/session/services.h"

namespace ws {
namespace {

constexpr const char* kHipArchsFile = "hip-archs";

}  // namespace

Result<std::shared_ptr<HipCompiler>> HipCompilers::service() {
  const std::lock_guard lock(mutex_);
  if (!service_) {
    WS_TRY(const HipKit kit, find_hip_kit(options_.hip_folders));
    const std::string executable = options_.executable.string();
    CompileService::Options options = hip_service(executable, kit, store_);
    options.cores = cores_;
    service_ = std::make_shared<HipCompiler>(
        std::move(options),
        std::make_unique<HipArchs>(executable, kit, options_.data_dir / kHipArchsFile));
  }
  return service_;
}

Result<Backend*> HipCompilers::offline(const std::string& arch) {
  WS_TRY(const std::shared_ptr<HipCompiler> compiler, service());
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Backend>& backend = offline_[arch];
  if (!backend) {
    backend = make_offline_hip_backend(arch, compiler);
  }
  return backend.get();
}

Result<std::shared_ptr<CompileService>> CudaCompilers::service() {
  const std::lock_guard lock(mutex_);
  if (!service_) {
    WS_TRY(const Toolkit toolkit, find_toolkit(options_.cuda_folders));
    CompileService::Options options = nvrtc_service(options_.executable.string(), toolkit, store_);
    options.cores = cores_;
    service_ = std::make_shared<CompileService>(std::move(options));
  }
  return service_;
}

std::shared_ptr<LanguageCompiler> CudaCompilers::triton() {
  const std::lock_guard lock(mutex_);
  if (!triton_) {
    triton_ = nullptr;
    const Result<Toolkit> toolkit = find_toolkit(options_.cuda_folders);
    const auto kit = find_triton(options_.interpreters);
    if (toolkit && kit && !find_linker(*toolkit).empty()) {
      const std::string executable = options_.executable.string();
      CompileService::Options triton = triton_service(executable, *kit, store_);
      CompileService::Options assembler = ptx_service(executable, *toolkit, store_);
      triton.cores = cores_;
      assembler.cores = cores_;
      triton_ = make_triton_compiler({parser_, std::make_shared<CompileService>(std::move(triton)),
                                      std::make_shared<CompileService>(std::move(assembler))});
    }
  }
  return *triton_;
}

Result<Backend*> CudaCompilers::offline(const std::string& arch) {
  WS_TRY(const std::shared_ptr<CompileService> compiler, service());
  const std::shared_ptr<LanguageCompiler> tiles = triton();
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Backend>& backend = offline_[arch];
  if (!backend) {
    backend = make_offline_cuda_backend(arch, compiler, tiles);
  }
  return backend.get();
}

}  // namespace ws
