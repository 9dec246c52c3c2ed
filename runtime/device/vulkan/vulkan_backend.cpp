#include "runtime/device/vulkan/vulkan_backend.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "runtime/compile/spirv/shader.h"
#include "runtime/device/offline_backend.h"
#include "runtime/device/vulkan/vulkan_session.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDriverFolders[] = {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d",
                                          "/usr/local/share/vulkan/icd.d"};
/// Lavapipe's, whose device is the processor.
constexpr std::string_view kProcessorDriver = "lvp_icd";
/// A third of the memory, so that both sides of a comparison and their copies fit.
constexpr std::uint64_t kShareOfMemory = 3;

std::vector<std::string> shader_languages() {
  std::vector<std::string> names;
  for (const LanguageInfo& language : kLanguages) {
    if (language.shader) {
      names.emplace_back(language.name);
    }
  }
  return names;
}

DeviceInfo info_of(const vulkan::DeviceFacts& facts, const std::string& id) {
  DeviceInfo info;
  info.id = id;
  info.backend = "vulkan";
  info.name = facts.name;
  info.arch = kShaderArch;
  info.languages = shader_languages();
  info.emulated = facts.processor;
  info.limits.max_threads_per_block = facts.max_threads;
  info.limits.max_shared_bytes = facts.shared_bytes;
  info.limits.warp_size = facts.subgroup_size;
  info.limits.max_block_z = facts.max_group[2];
  info.limits.max_grid_x = facts.max_grid[0];
  info.limits.max_grid_yz = std::min(facts.max_grid[1], facts.max_grid[2]);
  info.limits.max_cluster_blocks = 1;
  info.limits.max_buffer_bytes =
      std::min(facts.allocation_bytes, facts.memory_bytes / kShareOfMemory);
  info.limits.max_argument_bytes = facts.argument_bytes;
  info.limits.offset_alignment = std::max<std::int64_t>(facts.offset_alignment, 1);
  info.uuid = facts.uuid;
  info.driver = facts.driver + ", Vulkan " + facts.api;
  info.memory_bytes = facts.memory_bytes;
  return info;
}

/// The capabilities that the image needs and the device lacks: "Float64, Int8"; "" when it lacks
/// nothing.
std::string lacking(const Image& image, const vulkan::DeviceFacts& device) {
  std::string names;
  const auto shaders = spirv::decode_shaders(image.blob);
  for (const spirv::ShaderCode& code : shaders ? *shaders : std::vector<spirv::ShaderCode>()) {
    const auto shader = spirv::read_shader(code.words);
    for (const std::uint32_t needed :
         shader ? shader->capabilities : std::vector<std::uint32_t>()) {
      const std::string name = vulkan::capability_name(needed);
      if (std::ranges::find(device.capabilities, needed) == device.capabilities.end() &&
          names.find(name) == std::string::npos) {
        names += (names.empty() ? "" : ", ") + name;
      }
    }
  }
  return names;
}

class VulkanBackend : public Backend {
 public:
  VulkanBackend(VulkanOptions options, std::shared_ptr<CompileService> compiler, Backend& engine,
                std::shared_ptr<CoreGate> cores)
      : options_(std::move(options)),
        compiler_(std::move(compiler)),
        engine_(engine),
        cores_(std::move(cores)),
        workers_(std::make_shared<vulkan::Workers>(
            options_.executable, vulkan::AttachRequest{options_.device, options_.drivers})) {}

  Result<DeviceInfo> info() override {
    WS_TRY(const vulkan::DeviceFacts facts, this->facts());
    WS_TRY(const CompilerInfo compiler, compiler_->info());
    DeviceInfo info = info_of(facts, id());
    info.toolkit = compiler.version;
    return info;
  }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    WS_TRY(const vulkan::DeviceFacts facts, this->facts());
    WS_TRY(CompileReply reply, compiler_->compile(request, stop, fresh));
    const std::string lacks = lacking(reply.outcome->image, facts);
    if (!lacks.empty()) {
      CompileOutcome outcome = *reply.outcome;
      outcome.verdict = CompileVerdict::kUnsupported;
      outcome.message = "the shader needs " + lacks + ", which " + facts.name + " does not have";
      outcome.image = Image();
      reply.outcome = std::make_shared<const CompileOutcome>(std::move(outcome));
    }
    return reply;
  }

  Result<std::unique_ptr<Session>> open(const Image& image, const RunPlan& plan,
                                        std::shared_ptr<Arena> arena) override {
    WS_TRY(const vulkan::DeviceFacts facts, this->facts());
    return vulkan::open_session(workers_, facts, options_.lock_folder, image, plan,
                                std::move(arena));
  }

  Backend& for_reference(std::string_view language) override {
    return is_shader_language(language) ? static_cast<Backend&>(*this) : engine_;
  }

  Result<CoreGate::Hold> quiet(const std::stop_token& stop) override {
    WS_TRY(const vulkan::DeviceFacts facts, this->facts());
    return facts.processor ? cores_->own(stop) : CoreGate::Hold();
  }

  void warm() override { compiler_->warm(); }

 private:
  [[nodiscard]] std::string id() const { return "vulkan:" + std::to_string(options_.device); }

  /// Asked once, and kept when there is an answer.
  Result<vulkan::DeviceFacts> facts() {
    const std::lock_guard lock(mutex_);
    if (!facts_) {
      WS_TRY(const std::vector<vulkan::DeviceFacts> all, workers_->describe());
      const auto index = static_cast<std::size_t>(options_.device);
      if (index >= all.size()) {
        return fail(ErrorCode::kNotFound, id() + " is not there; Vulkan shows " +
                                              std::to_string(all.size()) +
                                              (all.size() == 1 ? " device" : " devices"));
      }
      facts_ = all[index];
    }
    return *facts_;
  }

  const VulkanOptions options_;
  std::shared_ptr<CompileService> compiler_;
  Backend& engine_;
  std::shared_ptr<CoreGate> cores_;
  std::shared_ptr<vulkan::Workers> workers_;
  std::mutex mutex_;
  std::optional<vulkan::DeviceFacts> facts_;  // guarded by mutex_
};

/// The GPUs that the kernel has nodes for; NVIDIA's have their own.
int count_gpus() {
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator at("/dev/dri", error), end; !error && at != end;
       at.increment(error)) {
    count += at->path().filename().string().starts_with("renderD") ? 1 : 0;
  }
  int nvidia = 0;
  for (fs::directory_iterator at("/proc/driver/nvidia/gpus", error), end; !error && at != end;
       at.increment(error)) {
    ++nvidia;
  }
  return std::max(count, nvidia);
}

/// The names of the files that describe drivers.
std::vector<std::string> driver_files(const std::optional<std::string>& drivers) {
  std::vector<std::string> files;
  const std::string list = drivers.value_or("");
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (fs::exists(rest.substr(0, end))) {
      files.emplace_back(rest.substr(0, end));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const char* folder : kDriverFolders) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !drivers && !error && at != end;
         at.increment(error)) {
      files.push_back(at->path().filename().string());
    }
  }
  return files;
}

}  // namespace

std::unique_ptr<Backend> make_vulkan_backend(VulkanOptions options,
                                             std::shared_ptr<CompileService> compiler,
                                             Backend& engine, std::shared_ptr<CoreGate> cores) {
  return std::make_unique<VulkanBackend>(std::move(options), std::move(compiler), engine,
                                         std::move(cores));
}

Result<std::vector<DeviceInfo>> list_vulkan_devices(const VulkanOptions& options) {
  vulkan::Workers workers(options.executable, {-1, options.drivers});
  WS_TRY(const std::vector<vulkan::DeviceFacts> all, workers.describe());
  std::vector<DeviceInfo> devices;
  devices.reserve(all.size());
  for (const vulkan::DeviceFacts& facts : all) {
    devices.push_back(info_of(facts, "vulkan:" + std::to_string(devices.size())));
  }
  return devices;
}

std::unique_ptr<Backend> make_offline_vulkan_backend(
    const std::shared_ptr<CompileService>& compiler) {
  DeviceInfo device;
  device.backend = "vulkan";
  device.languages = shader_languages();
  device.arch = kShaderArch;
  // Every device of Vulkan 1.2 has this much.
  device.limits.max_shared_bytes = 16384;
  device.limits.max_threads_per_block = 128;
  device.limits.max_grid_x = device.limits.max_grid_yz;
  device.limits.max_cluster_blocks = 1;
  return make_offline_backend(
      std::move(device),
      {.info = [compiler] { return compiler->info(); },
       .compile =
           [compiler](const CompileRequest& request, const std::stop_token& stop, bool fresh) {
             CompileRequest plain = request;
             plain.target.clear();  // One target for all: the same outcome as a device's.
             return compiler->compile(plain, stop, fresh);
           },
       .warm = [compiler] { compiler->warm(); }});
}

int count_vulkan_devices(const std::optional<std::string>& drivers) {
  const std::vector<std::string> files = driver_files(drivers);
  const auto is_processors = [](const std::string& file) {
    return file.find(kProcessorDriver) != std::string::npos;
  };
  const auto processors = std::ranges::count_if(files, is_processors);
  const bool others = static_cast<std::size_t>(processors) < files.size();
  return std::min(static_cast<int>(processors), 1) + (others ? count_gpus() : 0);
}

}  // namespace ws
