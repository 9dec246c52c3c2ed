#include "runtime/device/cuda/cuda_backend.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <mutex>

#include "runtime/device/cuda/arch.h"
#include "runtime/device/cuda/cuda_session.h"
#include "runtime/device/cuda/worker_source.h"
#include "runtime/queue/frame.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kLoadDeadline{60};
/// A driver that fails may take seconds to say so: not at each call.
constexpr std::chrono::seconds kFailureKept{30};
constexpr std::size_t kMaxLoadedFrame = 65536;
/// Four copies of the buffers lie on the GPU while two kernels are timed against each other; the
/// rest is for their contexts.
constexpr std::uint64_t kShareOfMemory = 6;

DeviceInfo device_info(const cuda::CudaDevice& device, int index, const std::string& toolkit) {
  DeviceInfo info;
  info.id = "cuda:" + std::to_string(index);
  info.backend = "cuda";
  info.name = device.name;
  info.arch = device.arch;
  info.toolkit = toolkit;
  info.languages = {"cuda"};
  info.features = cuda::features_of(device.arch);
  info.limits.max_threads_per_block = device.max_threads_per_block;
  info.limits.max_shared_bytes = device.max_shared_bytes;
  info.limits.warp_size = device.warp_size;
  info.limits.max_block_z = device.max_block_z;
  info.limits.max_grid_x = device.max_grid_x;
  info.limits.max_grid_yz = device.max_grid_yz;
  info.limits.max_buffer_bytes =
      std::min(info.limits.max_buffer_bytes, device.memory_bytes / kShareOfMemory);
  info.uuid = device.uuid;
  info.driver = device.driver;
  info.sm_count = device.sm_count;
  info.memory_bytes = device.memory_bytes;
  info.l2_bytes = device.l2_bytes;
  if (device.mps) {
    info.notes.emplace_back("shared with other processes through MPS: timings are not its own");
  }
  if (device.mig) {
    info.notes.emplace_back("a part of a GPU (MIG): timings hold for parts of this size");
  }
  return info;
}

class CudaBackend : public Backend {
 public:
  CudaBackend(CudaOptions options, std::shared_ptr<CompileService> compiler)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        workers_(std::make_shared<cuda::WorkerSource>(
            options_.executable, cuda::AttachRequest{options_.device, options_.visible,
                                                     options_.library, options_.nvml})) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const cuda::CudaDevice device, described());
    WS_TRY(const CompilerInfo compiler, compiler_->info());
    return device_info(device, options_.device, compiler.version);
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    WS_TRY(const cuda::CudaDevice device, described());
    CompileRequest targeted = request;
    targeted.target = device.arch;
    return compiler_->compile(targeted, stop, fresh);
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_TRY(cuda::WorkerSource::Worker worker, workers_->take());
    WS_TRY(cuda::GpuLock lock, cuda::GpuLock::open(options_.lock_folder, worker.device.uuid));
    WS_CHECK(send_frame(worker.process.socket(), encode_load(image, plan), arena->fd()));
    WS_TRY(const Received loaded,
           receive_frame(worker.process.socket(), kMaxLoadedFrame, Clock::now() + kLoadDeadline));
    WS_CHECK(cuda::decode_loaded(loaded.payload));
    return std::make_unique<cuda::CudaSession>(std::move(worker.process), std::move(arena),
                                               std::move(lock), workers_);
  }

  void warm() override {
    compiler_->warm();
    workers_->prepare();
  }

 private:
  /// From a process that starts no device; remembered.
  Result<cuda::CudaDevice> described() {
    const std::lock_guard lock(mutex_);
    if (!device_) {
      if (failure_ && Clock::now() < failure_->second) {
        return fail(failure_->first);
      }
      auto described = workers_->describe();
      if (!described) {
        failure_.emplace(described.error(), Clock::now() + kFailureKept);
        return fail(described.error());
      }
      std::vector<cuda::CudaDevice> devices = *std::move(described);
      if (options_.device < 0 || static_cast<std::size_t>(options_.device) >= devices.size()) {
        return fail(ErrorCode::kNotFound,
                    "there is no device cuda:" + std::to_string(options_.device) +
                        "; the driver has " + std::to_string(devices.size()),
                    "call list_devices");
      }
      device_ = std::move(devices[static_cast<std::size_t>(options_.device)]);
    }
    return *device_;
  }

  const CudaOptions options_;
  std::shared_ptr<CompileService> compiler_;
  std::shared_ptr<cuda::WorkerSource> workers_;
  std::mutex mutex_;
  std::optional<cuda::CudaDevice> device_;  // guarded by mutex_
  /// Of the last try, and until when it is not repeated.
  std::optional<std::pair<Error, Clock::time_point>> failure_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(CudaOptions options,
                                           std::shared_ptr<CompileService> compiler) {
  return std::make_unique<CudaBackend>(std::move(options), std::move(compiler));
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
