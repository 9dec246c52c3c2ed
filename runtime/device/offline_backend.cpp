#include "runtime/device/offline_backend.h"

namespace ws {
namespace {

class OfflineBackend : public Backend {
 public:
  OfflineBackend(DeviceInfo device, OfflineCompiler compiler)
      : device_(std::move(device)),
        compiler_(std::move(compiler)) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const CompilerInfo compiler, compiler_.info());
    DeviceInfo info = device_;
    info.id = "none:" + info.arch;
    info.name = info.arch + " without a device";
    info.toolkit = compiler.version;
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    CompileRequest targeted = request;
    targeted.target = device_.arch;
    return compiler_.compile(targeted, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& /*image*/, const RunPlan& /*plan*/,
                                        std::shared_ptr<Arena> /*arena*/) override {
    return fail(ErrorCode::kUnsupported, "there is no device for " + device_.arch,
                "call list_devices and choose one that runs");
  }

  void warm() override { compiler_.warm(); }

 private:
  const DeviceInfo device_;
  const OfflineCompiler compiler_;
};

}  // namespace

std::unique_ptr<Backend> make_offline_backend(DeviceInfo device, OfflineCompiler compiler) {
  return std::make_unique<OfflineBackend>(std::move(device), std::move(compiler));
}

}  // namespace ws
