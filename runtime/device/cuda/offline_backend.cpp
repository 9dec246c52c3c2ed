#include "runtime/device/cuda/offline_backend.h"

#include "runtime/device/cuda/arch.h"

namespace ws {
namespace {

class OfflineBackend : public Backend {
 public:
  OfflineBackend(std::string arch, std::shared_ptr<CompileService> compiler)
      : arch_(std::move(arch)),
        compiler_(std::move(compiler)) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const CompilerInfo compiler, compiler_->info());
    DeviceInfo info;
    info.id = "none:" + arch_;
    info.backend = "cuda";
    info.name = arch_ + " without a device";
    info.arch = arch_;
    info.toolkit = compiler.version;
    info.languages = {"cuda"};
    info.features = cuda::features_of(arch_);
    if (const cuda::ArchSpec* spec = cuda::find_arch(arch_)) {
      info.limits = cuda::limits_of(*spec);
    }
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    CompileRequest targeted = request;
    targeted.target = arch_;
    return compiler_->compile(targeted, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& /*image*/, const RunPlan& /*plan*/,
                                        std::shared_ptr<Arena> /*arena*/) override {
    return fail(ErrorCode::kUnsupported, "there is no device for " + arch_,
                "call list_devices and choose one that runs");
  }

  void warm() override { compiler_->warm(); }

 private:
  const std::string arch_;
  std::shared_ptr<CompileService> compiler_;
};

}  // namespace

std::unique_ptr<Backend> make_offline_cuda_backend(std::string arch,
                                                   std::shared_ptr<CompileService> compiler) {
  return std::make_unique<OfflineBackend>(std::move(arch), std::move(compiler));
}

}  // namespace ws
