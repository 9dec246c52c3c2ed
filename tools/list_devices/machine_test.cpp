#include "tools/list_devices/machine.h"

#include <fstream>

#include <doctest/doctest.h>

#include "runtime/archive/store/test_folder.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "x";
}

Json rows_of(const ServicesOptions& options, const fs::path& root) {
  return facilities(options, root);
}

Json row(const Json& rows, const std::string& what) {
  for (const Json& each : rows) {
    if (each["what"] == what) {
      return each;
    }
  }
  return nullptr;
}

}  // namespace

TEST_SUITE("list_devices.machine") {
  TEST_CASE("what a machine lacks comes with the line that installs it") {
    const TestFolder root;
    const Json rows = rows_of({}, root.path());
    CHECK(row(rows, "vulkan") == Json{{"what", "vulkan"},
                                      {"missing", "no tool uses it yet"},
                                      {"fix", "apt install libvulkan1 mesa-vulkan-drivers"}});
    CHECK(row(rows, "torch") == Json{{"what", "torch"},
                                     {"missing", "references of kind python that import torch"},
                                     {"fix", "pip install torch"}});
    CHECK(row(rows, "triton") == Json{{"what", "triton"},
                                      {"missing", "kernels of Triton on NVIDIA GPUs"},
                                      {"fix",
                                       "pip install triton, and set WARPSMITH_PYTHON to the "
                                       "interpreter that has it"}});
    for (const Json& each : rows) {
      CHECK(each.contains("value") != (each.contains("missing") && each.contains("fix")));
    }
  }

  TEST_CASE("what is there is named with its version") {
    const TestFolder root;
    put(root.path() / "usr/lib/x86_64-linux-gnu/libvulkan.so.1");
    put(root.path() / "usr/share/vulkan/icd.d/lvp_icd.json");
    put(root.path() /
        "usr/local/lib/python3.11/dist-packages/torch-2.6.0+cu124.dist-info/METADATA");
    const std::filesystem::path packages = root.path() / "opt/conda/lib/python3.12/site-packages";
    put(packages / "triton_kernels-1.0.dist-info/METADATA");
    put(packages / "triton-3.6.0.dist-info/METADATA");
    put(packages / "triton/_C/libtriton.so");
    put(root.path() / "opt/conda/bin/python3");
    ServicesOptions options;
    options.interpreters = {(root.path() / "opt/conda/bin/python3").string()};
    put(root.path() / "cuda/lib64/libnvrtc.so.12");
    put(root.path() / "cuda/bin/nvdisasm");
    options.cuda_folders = {(root.path() / "cuda").string()};
    const Json rows = rows_of(options, root.path());
    CHECK(row(rows, "vulkan")["value"] == "libvulkan.so.1, 1 driver");
    CHECK(row(rows, "torch")["value"] == "2.6.0+cu124");
    CHECK(row(rows, "triton")["value"] == "3.6.0, " + options.interpreters[0]);
    CHECK(row(rows, "nvidia_targets")["value"] ==
          "by libnvrtc.so.12: sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, "
          "sm_103, sm_103a, sm_120, sm_120a, sm_121, sm_121a");
    CHECK(row(rows, "nvidia_disassembler")["value"] == options.cuda_folders[0] + "/bin/nvdisasm");
  }
}

}  // namespace ws
