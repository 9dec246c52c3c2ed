#include "runtime/device/hip/hip_backend.h"

#include <filesystem>
#include <mutex>

#include "runtime/base/files.h"
#include "runtime/device/cuda/cuda_session.h"
#include "runtime/device/cuda/described.h"
#include "runtime/device/hip/arch.h"
#include "runtime/device/offline_backend.h"

namespace ws {
namespace {

const std::vector<std::string> kLanguages = {"hip", "cuda"};

/// Kernels that overwrite the LDS of a compute unit, as ws_poison_shared in cuda/helper_kernels.h.
constexpr const char* kHelpers = R"(
struct Keys { unsigned round[27]; };
extern "C" __global__ void ws_poison_shared(Keys keys, unsigned words) {
  extern __shared__ unsigned ws_shared[];
  for (unsigned i = 2 * threadIdx.x; i < words; i += 2 * blockDim.x) {
    unsigned x = i, y = 0;
    for (int r = 0; r < 27; ++r) {
      x = ((x >> 8 | x << 24) + y) ^ keys.round[r];
      y = (y << 3 | y >> 29) ^ x;
    }
    ((volatile unsigned*)ws_shared)[i] = x;
    ((volatile unsigned*)ws_shared)[i + 1] = y;
  }
}
)";

std::string id_of(int index) {
  return "hip:" + std::to_string(index);
}

class HipBackend : public Backend {
 public:
  HipBackend(HipOptions options, std::shared_ptr<HipCompiler> compiler)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        workers_(std::make_shared<cuda::WorkerSource>(
            options_.executable, "hip",
            cuda::AttachRequest{
                options_.device, options_.visible, options_.library, {}, {}, {}, false})),
        described_(workers_, id_of(options_.device), options_.device) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const cuda::CudaDevice device, described_.get());
    WS_TRY(const CompilerInfo compiler, compiler_->info());
    DeviceInfo info = cuda::device_info(device, id_of(options_.device), compiler.version);
    info.backend = "hip";
    info.languages = kLanguages;
    info.limits.registers_per_block = hip::limits_of(device.arch).registers_per_block;
    info.limits.max_cluster_blocks = 1;
    info.notes.emplace_back(
        "this backend has not been run on AMD hardware: compare its results with cpu:0");
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    WS_TRY(const cuda::CudaDevice device, described_.get());
    CompileRequest targeted = request;
    targeted.target = device.arch;
    return compiler_->compile(targeted, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_CHECK(give_helpers());
    return cuda::open_session(workers_, options_.lock_folder, image, plan, std::move(arena));
  }

  void warm() override { compiler_->warm(); }

 private:
  /// Our own kernel for the device, before the first worker starts it.
  Status give_helpers() {
    const std::lock_guard lock(mutex_);
    if (helpers_given_) {
      return {};
    }
    if (!options_.helpers.empty()) {
      workers_->set_helpers(options_.helpers);
      helpers_given_ = true;
      return {};
    }
    CompileRequest request;
    request.source.language = "hip";
    request.source.source = kHelpers;
    request.source.entries = {"ws_poison_shared"};
    WS_TRY(const CompileReply reply, compile(request, {}, /*fresh=*/false));
    if (reply.outcome->verdict != CompileVerdict::kCompiled) {
      return fail(ErrorCode::kUnsupported, "the HIP compiler does not compile our own kernel", {},
                  reply.outcome->message);
    }
    workers_->set_helpers(reply.outcome->image.blob);
    helpers_given_ = true;
    return {};
  }

  const HipOptions options_;
  std::shared_ptr<HipCompiler> compiler_;
  std::shared_ptr<cuda::WorkerSource> workers_;
  cuda::Described described_;
  std::mutex mutex_;
  bool helpers_given_ = false;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Backend> make_hip_backend(HipOptions options,
                                          std::shared_ptr<HipCompiler> compiler) {
  return std::make_unique<HipBackend>(std::move(options), std::move(compiler));
}

std::unique_ptr<Backend> make_offline_hip_backend(std::string arch,
                                                  std::shared_ptr<HipCompiler> compiler) {
  DeviceInfo device;
  device.backend = "hip";
  device.languages = kLanguages;
  device.limits = hip::limits_of(arch);
  device.arch = std::move(arch);
  return make_offline_backend(
      std::move(device),
      {.info = [compiler] { return compiler->info(); },
       .compile = [compiler](const CompileRequest& request, const std::stop_token& stop,
                             bool fresh) { return compiler->compile(request, stop, fresh); },
       .warm = [compiler] { compiler->warm(); }});
}

int count_hip_devices() {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator node("/sys/class/kfd/kfd/topology/nodes", error), end;
       !error && node != end; node.increment(error)) {
    // Processors are nodes too; theirs is 0.
    const std::string id = read_file(node->path() / "gpu_id").value_or("0");
    count += id.empty() || id.front() == '0' ? 0 : 1;
  }
  return count;
}

}  // namespace ws
