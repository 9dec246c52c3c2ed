#include "runtime/device/cuda/cuda_backend.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "runtime/compile/gpu_libraries.h"
#include "runtime/device/cuda/arch.h"
#include "runtime/device/cuda/cuda_session.h"
#include "runtime/device/cuda/described.h"
#include "runtime/device/cuda/library_session.h"
#include "runtime/device/cuda/sanitize/sanitized_run.h"
#include "runtime/device/cuda/torch/torch_session.h"
#include "runtime/device/module_run.h"

namespace ws {
namespace {

std::string id_of(int index) {
  return "cuda:" + std::to_string(index);
}

class CudaBackend : public Backend,
                    public CountsInHardware,
                    public Sanitizes,
                    public RunsModules,
                    public CallsLibraries {
 public:
  CudaBackend(CudaOptions options, std::shared_ptr<CompileService> compiler,
              std::shared_ptr<LanguageCompiler> tiles)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        tiles_(std::move(tiles)),
        workers_(
            std::make_shared<cuda::WorkerSource>(options_.executable, "cuda", attach_request(""))),
        described_(workers_, id_of(options_.device), options_.device),
        torch_(std::make_shared<cuda::TorchWorkers>(
            cuda::TorchOptions{.executable = options_.executable,
                               .interpreters = options_.interpreters,
                               .device = options_.device,
                               .visible = options_.visible})) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const cuda::CudaDevice device, described_.get());
    WS_TRY(const CompilerInfo compiler, compiler_->info());
    DeviceInfo info = cuda::device_info(device, id_of(options_.device), compiler.version);
    info.backend = "cuda";
    info.languages = {"cuda"};
    if (tiles_ != nullptr) {
      info.languages.emplace_back(tiles_->language());
    }
    info.features = cuda::features_of(device.arch);
    if (device.mps) {
      info.notes.emplace_back("shared with other processes through MPS: timings are not its own");
    }
    if (device.mig) {
      info.notes.emplace_back("a part of a GPU (MIG): timings hold for parts of this size");
    }
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    WS_TRY(const cuda::CudaDevice device, described_.get());
    CompileRequest targeted = request;
    targeted.target = device.arch;
    const bool tiles = tiles_ != nullptr && request.source.language == tiles_->language();
    return tiles ? tiles_->compile(targeted, stop, fresh)
                 : compiler_->compile(targeted, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    return cuda::open_session(workers_, options_.lock_folder, image, plan, std::move(arena));
  }

  Result<HardwareCounters> count(const Image& image, const RunPlan& plan,
                                 std::shared_ptr<Arena> arena, std::chrono::milliseconds limit,
                                 const std::stop_token& stop) override {
    if (options_.cupti.empty()) {
      return fail(ErrorCode::kUnsupported, "CUPTI is not installed, so there are no counters",
                  "install CUPTI of CUDA 12.6 or newer beside NVRTC");
    }
    // Not one of those that time: a library that counts may slow down what runs beside it.
    cuda::WorkerSource source(options_.executable, "cuda", attach_request(options_.cupti));
    return cuda::ask_counters(source, options_.lock_folder, cuda::CountingJob{image, plan, *arena},
                              limit, stop);
  }

  [[nodiscard]] std::optional<Error> no_sanitizer() const override {
    if (!options_.sanitizer.empty()) {
      return std::nullopt;
    }
    return Error{ErrorCode::kUnsupported,
                 "compute-sanitizer is not installed, so no access can be looked at",
                 "install compute-sanitizer of CUDA 12 or 13 (package cuda-sanitizer-13-0), or set "
                 "WARPSMITH_CUDA to the toolkit that has it",
                 {}};
  }

  Result<std::vector<SanitizerRecord>> sanitize(const Image& image, const RunPlan& plan,
                                                std::shared_ptr<Arena> arena, SanitizerTool tool,
                                                std::chrono::milliseconds limit,
                                                const std::stop_token& stop) override {
    if (std::optional<Error> refusal = no_sanitizer()) {
      return fail(*std::move(refusal));
    }
    cuda::AttachRequest request = attach_request("");
    request.apart = true;
    return cuda::run_sanitized(
        {options_.sanitizer, options_.executable, std::move(request), options_.lock_folder},
        {image, plan, *arena, tool}, limit, stop);
  }

  Result<std::unique_ptr<Session>> open_module(const ModuleRun& module, const ResolvedPlan& plan,
                                               std::shared_ptr<Arena> arena,
                                               const std::stop_token& stop) override {
    WS_TRY(const cuda::CudaDevice device, described_.get());
    return cuda::open_torch_session({torch_, workers_, options_.lock_folder}, device.uuid, module,
                                    plan, std::move(arena), stop);
  }

  Result<LibrarySession> open_library(const LibraryCall& call, const ResolvedPlan& plan,
                                      std::shared_ptr<Arena> arena,
                                      const std::stop_token& stop) override {
    const bool product = library_of(call) == Library::kCublas;
    const std::string& path = product ? options_.cublas : options_.cudnn;
    if (path.empty()) {
      return fail(ErrorCode::kUnsupported,
                  std::string(name_of(library_of(call))) + " is not installed here",
                  product ? kCublasFix : kCudnnFix);
    }
    return cuda::open_library_session(workers_, options_.lock_folder, {path, call}, plan,
                                      std::move(arena), stop);
  }

  void warm() override {
    compiler_->warm();
    workers_->prepare();
  }

 private:
  [[nodiscard]] cuda::AttachRequest attach_request(const std::string& cupti) const {
    return {.device = options_.device,
            .visible = options_.visible,
            .library = options_.library,
            .nvml = options_.nvml,
            .helpers = {},
            .cupti = cupti};
  }

  const CudaOptions options_;
  std::shared_ptr<CompileService> compiler_;
  std::shared_ptr<LanguageCompiler> tiles_;  ///< May be null.
  std::shared_ptr<cuda::WorkerSource> workers_;
  cuda::Described described_;
  std::shared_ptr<cuda::TorchWorkers> torch_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(CudaOptions options,
                                           std::shared_ptr<CompileService> compiler,
                                           std::shared_ptr<LanguageCompiler> tiles) {
  return std::make_unique<CudaBackend>(std::move(options), std::move(compiler), std::move(tiles));
}

int count_visible(int present, std::string_view visible) {
  int count = 0;
  while (!visible.empty()) {
    const std::size_t end = std::min(visible.find(','), visible.size());
    const std::string_view item = visible.substr(0, end);
    int index = -1;
    const auto [stop, code] = std::from_chars(item.data(), item.data() + item.size(), index);
    const bool number = code == std::errc() && stop == item.data() + item.size();
    const bool listed = number ? index >= 0 && index < present
                               : item.starts_with("GPU-") || item.starts_with("MIG-");
    if (!listed) {
      break;
    }
    ++count;
    visible.remove_prefix(std::min(end + 1, visible.size()));
  }
  return std::min(count, present);
}

int count_cuda_devices(const std::optional<std::string>& visible) {
  const auto entries = [](const char* folder, const auto& wanted) {
    std::error_code error;
    int count = 0;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      count += wanted(at->path().filename().string()) ? 1 : 0;
    }
    return count;
  };
  int present = entries("/proc/driver/nvidia/gpus", [](const std::string&) { return true; });
  if (present == 0) {
    // Containers may hide the driver's part of /proc.
    present = entries("/dev", [](const std::string& name) {
      constexpr std::string_view kPrefix = "nvidia";
      return name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
             std::all_of(name.begin() + kPrefix.size(), name.end(),
                         [](char c) { return c >= '0' && c <= '9'; });
    });
  }
  return visible ? count_visible(present, *visible) : present;
}

}  // namespace ws
