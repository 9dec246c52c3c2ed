#include "tools/list_devices/machine.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "runtime/compile/gpu_libraries.h"
#include "runtime/compile/hip_kit.h"
#include "runtime/compile/sass.h"
#include "runtime/compile/toolkit.h"
#include "runtime/compile/triton_service.h"
#include "runtime/device/cuda/arch.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraries = "usr/lib/x86_64-linux-gnu";

/// The paths in a folder, sorted; none where it cannot be read.
std::vector<fs::path> paths_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The folders in which the interpreters that a server uses look for packages.
std::vector<fs::path> python_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const char* place : {"usr/lib", "usr/local/lib", "opt/conda/lib"}) {
    for (const fs::path& path : paths_in(root / place)) {
      if (path.filename().string().starts_with("python3")) {
        folders.push_back(path / "dist-packages");
        folders.push_back(path / "site-packages");
      }
    }
  }
  return folders;
}

/// "2.6.0" by the name of the folder torch-2.6.0.dist-info; "" where the package is not there.
std::string python_package(const fs::path& root, const std::string& name) {
  constexpr std::string_view kEnding = ".dist-info";
  for (const fs::path& folder : python_folders(root)) {
    for (const fs::path& path : paths_in(folder)) {
      const std::string file = path.filename().string();
      if (file.starts_with(name + "-") && file.ends_with(kEnding)) {
        return file.substr(name.size() + 1, file.size() - name.size() - 1 - kEnding.size());
      }
    }
  }
  return {};
}

/// "libvulkan.so.1, 2 drivers"; "" without the loader.
std::string vulkan(const fs::path& root) {
  if (!is_there(root / kLibraries / "libvulkan.so.1")) {
    return {};
  }
  std::size_t drivers = 0;
  for (const char* place : {"usr/share/vulkan/icd.d", "etc/vulkan/icd.d"}) {
    drivers += paths_in(root / place).size();
  }
  return "libvulkan.so.1, " + std::to_string(drivers) + (drivers == 1 ? " driver" : " drivers");
}

std::string nvidia_targets(const ServicesOptions& options) {
  const Result<Toolkit> toolkit = find_toolkit(options.cuda_folders);
  return toolkit
             ? "by " + fs::path(toolkit->library).filename().string() + ": " + cuda::known_archs()
             : std::string();
}

/// "3.6.0, /usr/bin/python3"
std::string triton(const ServicesOptions& options) {
  const std::optional<TritonKit> kit = find_triton(options.interpreters);
  return kit ? triton_version(*kit) + ", " + kit->interpreter : std::string();
}

std::string amd_targets(const ServicesOptions& options) {
  const Result<HipKit> kit = find_hip_kit(options.hip_folders);
  return kit ? "by " + fs::path(kit->compiler).filename().string() +
                   ": gfx90a, gfx942, gfx1100 and the others that it knows"
             : std::string();
}

}  // namespace

std::vector<Facility> facilities(const ServicesOptions& options, const fs::path& root) {
  return {
      {"nvidia_targets", nvidia_targets(options), "`arch` of compile_kernel, without a GPU",
       "pip install nvidia-cuda-nvrtc and set WARPSMITH_CUDA to its folder, or install the CUDA "
       "toolkit 12 or 13"},
      {"nvidia_disassembler", find_disassembler(options.cuda_folders), "SASS at kernel://ID/sass",
       kNvidiaDisassemblerFix},
      {"amd_targets", amd_targets(options), "`arch` of compile_kernel, without a GPU",
       "apt install libamdhip64-5 libhiprtc-builtins5"},
      {"amd_disassembler", find_amd_disassembler(), "ISA at kernel://ID/isa?arch=gfx90a",
       kAmdDisassemblerFix},
      {"vulkan", vulkan(root), "no tool uses it yet", "apt install libvulkan1 mesa-vulkan-drivers"},
      {"torch", python_package(root, "torch"), "references of kind python that import torch",
       "pip install torch"},
      {"cublas",
       find_gpu_library(GpuLibrary::kCublasLt, options.cuda_folders, options.interpreters),
       "baseline cublas of benchmark, for op matmul on NVIDIA GPUs", kCublasFix},
      {"cudnn", find_gpu_library(GpuLibrary::kCudnn, options.cuda_folders, options.interpreters),
       "baseline cudnn of benchmark, for op attention on NVIDIA GPUs", kCudnnFix},
      {"triton", triton(options), "kernels of Triton on NVIDIA GPUs",
       "pip install triton, and set WARPSMITH_PYTHON to the interpreter that has it"},
  };
}

void to_json(Json& form, const Facility& facility) {
  form = {{"what", facility.what}};
  if (facility.value.empty()) {
    form["missing"] = facility.gives;
    form["fix"] = facility.fix;
  } else {
    form["value"] = facility.value;
  }
}

}  // namespace ws
