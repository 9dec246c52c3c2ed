#include "runtime/session/services.h"

#include <algorithm>
#include <future>

#include "runtime/base/files.h"
#include "runtime/base/log.h"
#include "runtime/base/parallel.h"
#include "runtime/broker/pg_broker.h"
#include "runtime/compile/gpu_libraries.h"
#include "runtime/compile/paused_entries.h"
#include "runtime/compile/shader_service.h"
#include "runtime/compile/toolkit.h"
#include "runtime/device/alike.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/hip/hip_backend.h"
#include "runtime/device/tile/tile_backend.h"
#include "runtime/device/vulkan/vulkan_backend.h"
#include "runtime/kernel/language.h"
#include "runtime/session/job_records.h"
#include "runtime/session/node_jobs.h"
#include "runtime/session/reward_pins.h"

namespace ws {
namespace {

constexpr std::size_t kWaitingEvaluations = 1024;
constexpr std::size_t kBatches = 4;
/// For calls that are submitted at the same time.
constexpr std::size_t kBrokerConnections = 4;

/// A GPU that lacks something it needs: the first call that asks gets an error that names it.
class UnusableBackend : public Backend {
 public:
  explicit UnusableBackend(Error why)
      : why_(std::move(why)) {}

  Result<DeviceInfo> info() override { return fail(why_); }

  Result<CompileReply> compile(const CompileRequest& /*request*/, const std::stop_token& /*stop*/,
                               bool /*fresh*/) override {
    return fail(why_);
  }

  Result<std::unique_ptr<Session>> open(const Image& /*image*/, const RunPlan& /*plan*/,
                                        std::shared_ptr<Arena> /*arena*/) override {
    return fail(why_);
  }

  void warm() override {}

 private:
  const Error why_;
};

/// "cuda" of "cuda:0".
std::string_view maker_of(const Device& device) {
  return std::string_view(device.id).substr(0, device.id.find(':'));
}

void add_gpus(Services& services) {
  if (services.options.make_gpus) {
    services.devices = services.options.make_gpus();
    return;
  }
  const int count = services.options.gpus ? count_cuda_devices(services.options.cuda_visible) : 0;
  for (int i = 0; i < count; ++i) {
    CudaOptions options;
    options.executable = services.options.executable.string();
    options.device = i;
    options.visible = services.options.cuda_visible.value_or("");
    options.interpreters = services.options.interpreters;
    options.cublas = find_gpu_library(GpuLibrary::kCublasLt, services.options.cuda_folders,
                                      services.options.interpreters);
    options.cudnn = find_gpu_library(GpuLibrary::kCudnn, services.options.cuda_folders,
                                     services.options.interpreters);
    options.sanitizer = find_sanitizer(services.options.cuda_folders);
    if (const auto toolkit = find_toolkit(services.options.cuda_folders)) {
      options.cupti = find_cupti(*toolkit);
    }
    auto compiler = services.cuda_compilers->service();
    services.devices.push_back({"cuda:" + std::to_string(i),
                                compiler ? make_cuda_backend(std::move(options), *compiler,
                                                             services.cuda_compilers->triton())
                                         : std::make_unique<UnusableBackend>(compiler.error())});
  }
}

void add_amd_gpus(Services& services) {
  const int count = services.options.gpus ? count_hip_devices() : 0;
  for (int i = 0; i < count; ++i) {
    HipOptions options;
    options.executable = services.options.executable.string();
    options.device = i;
    options.visible = services.options.hip_visible.value_or("");
    auto compiler = services.hip_compilers->service();
    services.devices.push_back({"hip:" + std::to_string(i),
                                compiler ? make_hip_backend(std::move(options), *compiler)
                                         : std::make_unique<UnusableBackend>(compiler.error())});
  }
}

/// @param engine  Of the device that is there already.
void add_vulkan_devices(Services& services, const std::shared_ptr<CompileStore>& store,
                        const std::shared_ptr<CoreGate>& cores, Backend& engine) {
  const std::string executable = services.options.executable.string();
  CompileService::Options options = shader_service(executable, store);
  options.cores = cores;
  services.shader_compiler = std::make_shared<CompileService>(std::move(options));
  services.offline_shaders = make_offline_vulkan_backend(services.shader_compiler);
  const bool here = services.options.gpus && !services.options.make_gpus;
  const int count = here ? count_vulkan_devices(services.options.vulkan_drivers) : 0;
  for (int i = 0; i < count; ++i) {
    VulkanOptions vulkan;
    vulkan.executable = executable;
    vulkan.device = i;
    vulkan.drivers = services.options.vulkan_drivers.value_or("");
    services.devices.push_back(
        {"vulkan:" + std::to_string(i),
         make_vulkan_backend(std::move(vulkan), services.shader_compiler, engine, cores)});
  }
}

CompileStore::Options cache_options(const ServicesOptions& options) {
  CompileStore::Options cache{.folder = options.data_dir / kStoreFolder,
                              .max_bytes = options.cache_bytes};
  if (options.shared_cache) {
    cache.shared = std::make_shared<PausedEntries>(
        std::make_shared<SharedCache>(options.store, options.shared_cache->large));
    cache.secret = options.shared_cache->secret;
  }
  return cache;
}

}  // namespace

Services::Services() = default;

Services::~Services() = default;

Result<Device*> Services::device(const std::string& id) {
  if (id.empty()) {
    return &default_device();
  }
  std::string known;
  for (Device& device : devices) {
    if (device.id == id) {
      return &device;
    }
    known += (known.empty() ? "" : ", ") + device.id;
  }
  return fail(ErrorCode::kNotFound, "no device `" + id + "`",
              "the devices here are " + known + "; " +
                  (id.starts_with("vulkan:") ? "apt install mesa-vulkan-drivers for one of Vulkan"
                                             : "see list_devices"));
}

Result<Device*> Services::device_for(const std::string& id, std::string_view language) {
  WS_TRY(Device* const first, device(id));
  const auto takes = [language](Device& device) {
    const Result<DeviceInfo> info = device.backend->info();
    return info && std::ranges::find(info->languages, language) != info->languages.end();
  };
  if (!id.empty() || !is_shader_language(language) || takes(*first)) {
    return first;
  }
  const auto other = std::ranges::find_if(devices, takes);
  return other == devices.end() ? first : &*other;
}

Device& Services::default_device() {
  std::call_once(default_known_, [this] {
    const auto usable = std::find_if(devices.begin(), devices.end() - 1, [](const Device& device) {
      return device.backend->info().has_value();
    });
    default_ = &*usable;
  });
  return *default_;
}

std::vector<Device*> Services::alike(Device& device) {
  const std::lock_guard lock(alike_mutex_);
  if (const auto at = alike_.find(&device); at != alike_.end()) {
    return at->second;
  }
  // Drivers take their time to say what is there: all at once.
  std::vector<std::pair<Device*, std::future<Result<DeviceInfo>>>> others;
  for (Device& other : devices) {
    if (&other != &device && maker_of(other) == maker_of(device)) {
      others.emplace_back(&other, std::async(std::launch::async, [backend = other.backend.get()] {
        return backend->info();
      }));
    }
  }
  std::vector<Device*> found = {&device};
  if (others.empty()) {
    return found;
  }
  const Result<DeviceInfo> own = device.backend->info();
  for (auto& [other, told] : others) {
    const Result<DeviceInfo> info = told.get();
    if (own && info && are_alike(*own, *info)) {
      found.push_back(other);
    }
  }
  return alike_[&device] = found;
}

Result<std::vector<Device*>> Services::devices_for(const std::string& id,
                                                   std::string_view language) {
  WS_TRY(Device* const device, device_for(id, language));
  return id.empty() ? alike(*device) : std::vector<Device*>{device};
}

Result<Backend*> Services::compiler_for(Device& device, const std::string& arch) {
  if (arch.empty()) {
    return device.backend.get();
  }
  const auto info = device.backend->info();
  if (info && info->arch == arch) {
    return device.backend.get();
  }
  if (arch.starts_with("sm_")) {
    return cuda_compilers->offline(arch);
  }
  if (arch.starts_with("gfx")) {
    return hip_compilers->offline(arch);
  }
  if (arch == kShaderArch) {
    return offline_shaders.get();
  }
  WS_TRY(const DeviceInfo own, info);
  return fail(ErrorCode::kUnsupported,
              device.id + " compiles for " + own.arch + ", not for `" + arch + "`",
              "leave `arch` out, or name a GPU's architecture such as sm_90a or gfx90a");
}

void Services::warm() {
  if (node_jobs != nullptr) {
    return;  // They are the nodes'.
  }
  for (const Device& device : devices) {
    device.backend->warm();
  }
}

Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options) {
  auto services = std::make_unique<Services>();
  services->options = options;
  if (services->options.executable.empty()) {
    services->options.executable = executable_path();
  }
  WS_TRY(services->archive, Archive::open(options.archive()));
  WS_TRY(services->series, SeriesStore::open(options.archive()));
  WS_TRY(services->lines, LineStore::open(options.archive()));
  WS_TRY(Instance instance, Instance::begin(options.archive()));
  services->instance.emplace(std::move(instance));
  services->admissions = std::make_unique<Admissions>(*services->archive);
  services->noise_floors = std::make_unique<NoiseFloors>(*services->archive);
  services->ceilings = std::make_unique<DeviceCeilings>(*services->archive);
  const auto store = std::make_shared<CompileStore>(cache_options(options));
  const auto cores = std::make_shared<CoreGate>();
  const std::string executable = services->options.executable.string();
  const auto parser =
      std::make_shared<TileParser>(TileParserOptions{.executable = executable, .store = store});
  services->cuda_compilers =
      std::make_unique<CudaCompilers>(services->options, store, cores, parser);
  services->hip_compilers = std::make_unique<HipCompilers>(services->options, store, cores);
  services->host_workers = std::make_unique<HostWorkers>(
      HostOptions{.executable = executable,
                  .python = services->options.python_references,
                  .torch_interpreters = services->options.interpreters});
  services->modules = std::make_unique<ModuleImporter>(
      ModuleImporterOptions{.executable = executable,
                            .allowed = services->options.python_references,
                            .interpreters = services->options.interpreters});
  add_gpus(*services);
  services->devices.push_back(
      {kEngineDevice, make_tile_backend(make_cpu_backend(executable, store, cores), parser,
                                        *services->host_workers)});
  Backend& engine = *services->devices.back().backend;
  add_amd_gpus(*services);
  add_vulkan_devices(*services, store, cores, engine);
  std::vector<JobQueue::LaneOptions> lanes = {
      {.name = kCompileLane, .threads = core_count()},
      {.name = kEvaluateLane, .threads = kEvaluations, .capacity = kWaitingEvaluations},
      {.name = kBatchLane, .threads = kBatches}};
  for (const Device& device : services->devices) {
    // A device of Vulkan may be the processor.
    const bool gpu = maker_of(device) != "cpu" && maker_of(device) != "vulkan";
    lanes.push_back({.name = device.id, .threads = gpu ? kGpuSharers : 1, .alone = gpu});
  }
  if (options.on_nodes) {
    lanes.push_back({.name = kNodesLane, .threads = 0});
  }
  if (options.reward_pins != nullptr && options.reward_pins->device) {
    WS_TRY([[maybe_unused]] Device* const pinned, services->device(*options.reward_pins->device));
  }
  services->jobs = std::make_unique<JobQueue>(
      std::move(lanes), [archive = services->archive.get()](const JobSnapshot& job) {
        record_job_end(*archive, job);
      });
  if (options.on_nodes) {
    services->node_jobs = std::make_unique<NodeJobs>(
        std::make_unique<PgBroker>(options.store, kBrokerConnections), *services->jobs);
  }
  return services;
}

}  // namespace ws
