// The parts that all tools share. The server opens them once and owns them; tools hold references.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/instance.h"
#include "runtime/archive/store/line_store.h"
#include "runtime/archive/store/series_store.h"
#include "runtime/base/result.h"
#include "runtime/compile/hip_service.h"
#include "runtime/compile/store.h"
#include "runtime/device/backend.h"
#include "runtime/device/language_compiler.h"
#include "runtime/evaluate/admission/admissions.h"
#include "runtime/evaluate/measure/ceilings.h"
#include "runtime/evaluate/measure/noise_floor.h"
#include "runtime/queue/job_queue.h"
#include "runtime/reference/host_session.h"
#include "runtime/reference/module_import.h"
#include "runtime/session/shared_cache.h"

namespace ws {

class NodeJobs;
class TileParser;
struct RewardPins;

/// A device and the name of its lane in the job queue.
struct Device {
  std::string id;  ///< "cpu:0"
  std::unique_ptr<Backend> backend;
};

/// The CPU engine's id.
inline constexpr const char* kEngineDevice = "cpu:0";

struct ServicesOptions {
  /// The most bytes of compile outcomes below data_dir; the least recently used are removed first.
  std::uint64_t cache_bytes = CompileStore::kDefaultBytes;
  std::filesystem::path data_dir;  ///< This machine's: the compile cache, journals, and the archive
                                   ///< where `store` is empty. Made when it is not there.
  std::string store;               ///< As ArchivePlace::store.
  std::filesystem::path executable;         ///< For worker processes; empty: this program.
  std::vector<std::string> cuda_folders;    ///< Where to look for a CUDA toolkit first.
  std::optional<std::string> cuda_visible;  ///< CUDA_VISIBLE_DEVICES, where it is set.
  /// Interpreters to look for Triton and PyTorch in, by whole paths.
  std::vector<std::string> interpreters;
  std::vector<std::string> hip_folders;       ///< Where to look for ROCm first.
  std::optional<std::string> hip_visible;     ///< HIP_VISIBLE_DEVICES, where it is set.
  std::optional<std::string> vulkan_drivers;  ///< VK_DRIVER_FILES, where it is set.
  std::vector<std::filesystem::path> skills;  ///< The user's folders of transformations.
  bool gpus = true;                           ///< False: only the CPU engine.
  /// Instead of the GPUs of this machine, when it is set.
  std::function<std::vector<Device>()> make_gpus;
  std::optional<SharedCacheOptions> shared_cache;  ///< Kernels compiled here are shared by `store`.
  bool on_nodes = false;          ///< Calls that are jobs are made by nodes, which share the store.
  bool python_references = true;  ///< False: problems may not bring Python code.
  /// The terms of rewards that no call may change; null: none.
  std::shared_ptr<const RewardPins> reward_pins;

  [[nodiscard]] ArchivePlace archive() const { return {data_dir, store}; }
};

/// The CUDA compiler, started when it is first asked for, and what it can compile for without a
/// device. Any thread.
class CudaCompilers {
 public:
  /// @param cores   What the machine's cores are shared by.
  /// @param parser  Of kernels of tiles.
  CudaCompilers(const ServicesOptions& options, std::shared_ptr<CompileStore> store,
                std::shared_ptr<CoreGate> cores, std::shared_ptr<TileParser> parser)
      : options_(options),
        store_(std::move(store)),
        cores_(std::move(cores)),
        parser_(std::move(parser)) {}

  /// Shared by all devices. @errors kUnsupported: there is no toolkit, and how to get one.
  Result<std::shared_ptr<CompileService>> service();

  /// Shared by all devices. Null: Triton, or the toolkit's nvJitLink, is not here.
  std::shared_ptr<LanguageCompiler> triton();

  /// @param arch  "sm_90a". @errors as service().
  Result<Backend*> offline(const std::string& arch);

 private:
  const ServicesOptions& options_;
  const std::shared_ptr<CompileStore> store_;
  const std::shared_ptr<CoreGate> cores_;
  const std::shared_ptr<TileParser> parser_;
  std::mutex mutex_;
  std::shared_ptr<CompileService> service_;                  // guarded by mutex_
  std::optional<std::shared_ptr<LanguageCompiler>> triton_;  // guarded by mutex_; when looked for
  std::map<std::string, std::unique_ptr<Backend>> offline_;  // guarded by mutex_; never shrinks
};

/// The same for HIP, of architectures such as "gfx90a".
class HipCompilers {
 public:
  /// @param cores  What the machine's cores are shared by.
  HipCompilers(const ServicesOptions& options, std::shared_ptr<CompileStore> store,
               std::shared_ptr<CoreGate> cores)
      : options_(options),
        store_(std::move(store)),
        cores_(std::move(cores)) {}

  /// Shared by all devices. @errors kUnsupported: there is no HIP library, and how to get one.
  Result<std::shared_ptr<HipCompiler>> service();

  /// @errors as service().
  Result<Backend*> offline(const std::string& arch);

 private:
  const ServicesOptions& options_;
  const std::shared_ptr<CompileStore> store_;
  const std::shared_ptr<CoreGate> cores_;
  std::mutex mutex_;
  std::shared_ptr<HipCompiler> service_;                     // guarded by mutex_
  std::map<std::string, std::unique_ptr<Backend>> offline_;  // guarded by mutex_; never shrinks
};

struct Services {
  Services();
  ~Services();
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  ServicesOptions options;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<SeriesStore> series;
  std::unique_ptr<LineStore> lines;  ///< For short questions; a long log opens its own.
  std::optional<Instance> instance;  ///< This process, as others that share the folder see it.
  std::unique_ptr<Admissions> admissions;
  std::unique_ptr<NoiseFloors> noise_floors;
  std::unique_ptr<DeviceCeilings> ceilings;
  std::unique_ptr<CudaCompilers> cuda_compilers;
  std::unique_ptr<HipCompilers> hip_compilers;
  std::shared_ptr<CompileService> shader_compiler;  ///< It compiles HLSL and GLSL.
  std::unique_ptr<Backend> offline_shaders;         ///< The same without a device.
  std::unique_ptr<HostWorkers> host_workers;
  std::unique_ptr<ModuleImporter> modules;
  /// NVIDIA's GPUs, the CPU engine, AMD's GPUs, which must be named until somebody has tried them,
  /// and what Vulkan finds; the first that can be used is the default.
  std::vector<Device> devices;

  /// @param id  Empty: the default device. @errors kNotFound, with the known ids.
  Result<Device*> device(const std::string& id);

  /// The device of that id or, for an empty id, the default device; for a shader language that it
  /// does not take, the first one that does, if there is one. @errors as device().
  Result<Device*> device_for(const std::string& id, std::string_view language);

  /// The first device that has what it needs; the last one when none has. Found out by the first
  /// call, which blocks meanwhile, and kept: a GPU that is repaired later needs another server.
  Device& default_device();

  /// The device, then those that are like it: any of them may decide whether a kernel is correct.
  /// The first call finds them, which blocks meanwhile, and they are kept. Any thread.
  std::vector<Device*> alike(Device& device);

  /// The devices for work that only checks whether a kernel in `language` is correct: the device of
  /// that id or, for an empty id, all that are like the one of device_for(). @errors as device().
  Result<std::vector<Device*>> devices_for(const std::string& id, std::string_view language);

  /// The compiler for `arch` ("" or the device's own: the device itself).
  /// @errors kUnsupported: neither the device nor another compiler can; those of Backend::info.
  Result<Backend*> compiler_for(Device& device, const std::string& arch);

  /// Starts workers and compilers in the background; returns at once. Any thread.
  void warm();

 private:
  std::once_flag default_known_;
  Device* default_ = nullptr;  ///< Set once, by default_device().
  std::mutex alike_mutex_;
  std::map<const Device*, std::vector<Device*>> alike_;  ///< guarded by alike_mutex_

 public:
  /// Its jobs use the rest, and end before it. They use the tools that made them, too, so that
  /// tools outlive their services.
  std::unique_ptr<JobQueue> jobs;
  /// The last member: its thread reports to the queue. Null: this process makes all calls itself.
  std::unique_ptr<NodeJobs> node_jobs;
};

/// The compile queue's name; devices' queues bear their ids.
inline constexpr const char* kCompileLane = "compile";
/// The lane of jobs that only wait for jobs of the compilers and devices, and how many run at a
/// time.
inline constexpr const char* kEvaluateLane = "evaluate";
inline constexpr std::size_t kEvaluations = 16;
/// The lane of jobs that only wait for evaluations.
inline constexpr const char* kBatchLane = "batch";
/// The number of small kernels of a batch that share a GPU: while one is timed, another is loaded,
/// and the results of the third are checked.
inline constexpr std::size_t kGpuSharers = 3;

/// Opens the archive and starts the queues. Devices and compilers are not touched before a tool
/// needs them. @errors kIo: the archive cannot be opened (says why and what to do).
Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options);

}  // namespace ws
