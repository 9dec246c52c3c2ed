#include <filesystem>
#include <string>

#include <unistd.h>

#include "runtime/compile/clang/plugin.h"
#include "runtime/compile/gpu_libraries.h"
#include "runtime/compile/hip_kit.h"
#include "runtime/compile/hip_service.h"
#include "runtime/compile/nvrtc_service.h"
#include "runtime/compile/shader_service.h"
#include "runtime/compile/toolkit.h"
#include "runtime/compile/triton_service.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/hip/hip_backend.h"
#include "runtime/device/vulkan/vulkan_backend.h"
#include "server/cli/doctor_parts.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr const char* kHipCheck = "HIP";
constexpr const char* kVulkanCheck = "Vulkan";
constexpr const char* kTritonCheck = "Triton";
constexpr const char* kLibrariesCheck = "libraries";
constexpr const char* kPluginFix =
    "apt install llvm-19-dev libclang-19-dev lld-19, then build again with "
    "-DWARPSMITH_CPU_ENGINE=ON";

/// "vulkan:0 NAME, DRIVER, subgroups of 8, 32 KiB of shared memory".
std::string vulkan_text(const DeviceInfo& info) {
  return info.id + " " + info.name + ", " + info.driver + ", subgroups of " +
         std::to_string(info.limits.warp_size) + ", " +
         size_text(static_cast<std::uint64_t>(info.limits.max_shared_bytes)) + " of shared memory" +
         (info.emulated ? ", emulated" : "");
}

/// "cuda:0 NAME, sm_90a, ...". @errors as Backend::info.
Result<std::string> gpu_text(const DoctorSubject& subject, const Toolkit& toolkit, int index) {
  CudaOptions options;
  options.executable = subject.executable.string();
  options.device = index;
  options.visible = subject.cuda_visible.value_or("");
  const auto backend = make_cuda_backend(
      std::move(options),
      std::make_shared<CompileService>(nvrtc_service(subject.executable.string(), toolkit)));
  WS_TRY(const DeviceInfo info, backend->info());
  std::string text = info.id + " " + info.name + ", " + info.arch + ", " +
                     size_text(info.memory_bytes) + ", driver for " + info.driver;
  for (const std::string& note : info.notes) {
    text += ", " + note;
  }
  return text;
}

}  // namespace

Check engine_check(const DoctorSubject& subject) {
  const std::filesystem::path plugin = subject.executable.parent_path() / kClangPluginFile;
  if (::access(plugin.c_str(), R_OK) != 0) {
    return {kEngineCheck, CheckState::kMissing, plugin.string() + " is not there", kPluginFix};
  }
  const auto info = make_cpu_backend(subject.executable.string())->info();
  if (!info) {
    const Error& error = info.error();
    return {kEngineCheck, CheckState::kMissing,
            error.message + (error.source.empty() ? "" : " (" + error.source + ")"), kPluginFix};
  }
  return {kEngineCheck,
          CheckState::kOk,
          "cpu:0, " + info->toolkit + ", compiles for " + info->arch + ", emulated",
          {}};
}

Check toolkit_check(const DoctorSubject& subject) {
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit) {
    return {"CUDA", CheckState::kNote, toolkit.error().message, toolkit.error().hint};
  }
  CompileService compiler(nvrtc_service(subject.executable.string(), *toolkit));
  const auto info = compiler.info();
  if (!info) {
    return {"CUDA", CheckState::kNote, toolkit->library + ": " + info.error().message,
            "install the toolkit again, or name another in WARPSMITH_CUDA"};
  }
  return {
      "CUDA", toolkit->include.empty() ? CheckState::kNote : CheckState::kOk,
      info->version + ", " + toolkit->library + (toolkit->include.empty() ? ", no headers" : ""),
      toolkit->include.empty() ? "install the toolkit's headers, for cuda_fp16.h and others" : ""};
}

Check triton_check(const DoctorSubject& subject) {
  const auto kit = find_triton(subject.interpreters);
  if (!kit) {
    return {kTritonCheck, CheckState::kNote,
            "not installed: its kernels run on the CPU engine only",
            "pip install triton, and name the interpreter in WARPSMITH_PYTHON"};
  }
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit || find_linker(*toolkit).empty()) {
    return {kTritonCheck, CheckState::kNote,
            kit->folder + ", without nvJitLink: its kernels run on the CPU engine only",
            "install CUDA with nvJitLink (package libnvjitlink-13-0)"};
  }
  CompileService compiler(triton_service(subject.executable.string(), *kit));
  const auto info = compiler.info();
  if (!info) {
    return {kTritonCheck, CheckState::kNote,
            kit->interpreter + ": " + info.error().message + ": " + info.error().source,
            "install Triton 3.6 for this interpreter, or name another in WARPSMITH_PYTHON"};
  }
  return {kTritonCheck, CheckState::kOk, info->version + ", " + kit->interpreter, {}};
}

Check libraries_check(const DoctorSubject& subject) {
  const std::string cublas =
      find_gpu_library(GpuLibrary::kCublasLt, subject.cuda_folders, subject.interpreters);
  const std::string cudnn =
      find_gpu_library(GpuLibrary::kCudnn, subject.cuda_folders, subject.interpreters);
  const std::string value = (cublas.empty() ? "no cuBLAS" : cublas) + ", " +
                            (cudnn.empty() ? "no cuDNN" : cudnn) +
                            ": baselines of benchmark on NVIDIA GPUs";
  const bool both = !cublas.empty() && !cudnn.empty();
  return {kLibrariesCheck, both ? CheckState::kOk : CheckState::kNote, value,
          both             ? ""
          : cublas.empty() ? kCublasFix
                           : kCudnnFix};
}

Check hip_check(const DoctorSubject& subject) {
  const auto kit = find_hip_kit(subject.hip_folders);
  if (!kit) {
    return {kHipCheck, CheckState::kNote, kit.error().message, kit.error().hint};
  }
  CompileService compiler(hip_service(subject.executable.string(), *kit));
  const auto info = compiler.info();
  if (!info) {
    return {kHipCheck, CheckState::kNote, kit->compiler + ": " + info.error().message,
            "install ROCm's HIP runtime again, or name another in WARPSMITH_HIP"};
  }
  const int gpus = count_hip_devices();
  return {kHipCheck,
          CheckState::kOk,
          info->version + ", " + kit->compiler + ", " + std::to_string(gpus) +
              (gpus == 1 ? " AMD GPU" : " AMD GPUs") + "; not run on AMD hardware yet",
          {}};
}

Check vulkan_check(const DoctorSubject& subject) {
  const std::string executable = subject.executable.string();
  CompileService compiler(shader_service(executable));
  if (const auto info = compiler.info(); !info) {
    return {kVulkanCheck, CheckState::kNote, info.error().message + ": kernels in HLSL are refused",
            info.error().hint};
  }
  VulkanOptions options;
  options.executable = executable;
  options.drivers = subject.vulkan_drivers.value_or("");
  const auto devices = list_vulkan_devices(options);
  if (!devices) {
    return {kVulkanCheck, CheckState::kNote, devices.error().message, devices.error().hint};
  }
  std::string text;
  for (const DeviceInfo& info : *devices) {
    text += (text.empty() ? "" : "; ") + vulkan_text(info);
  }
  return {kVulkanCheck, CheckState::kOk, text, {}};
}

Check gpu_check(const DoctorSubject& subject) {
  const int count = count_cuda_devices(subject.cuda_visible);
  if (count == 0) {
    return {
        kGpuCheck, CheckState::kNote, "no NVIDIA GPU is here; kernels run on the CPU engine", {}};
  }
  const auto toolkit = find_toolkit(subject.cuda_folders);
  if (!toolkit) {
    return {kGpuCheck, CheckState::kNote,
            std::to_string(count) + " here, not used without a toolkit", toolkit.error().hint};
  }
  std::string usable;
  std::string failed;
  std::string fix;
  for (int i = 0; i < count; ++i) {
    const auto text = gpu_text(subject, *toolkit, i);
    std::string& list = text ? usable : failed;
    list += (list.empty() ? "" : "; ") +
            (text ? *text : "cuda:" + std::to_string(i) + ": " + text.error().message);
    fix = text ? fix : text.error().hint;
  }
  const std::string both = usable + (usable.empty() || failed.empty() ? "" : "; ") + failed;
  return {kGpuCheck, usable.empty() ? CheckState::kNote : CheckState::kOk, both, fix};
}

}  // namespace ws::server
