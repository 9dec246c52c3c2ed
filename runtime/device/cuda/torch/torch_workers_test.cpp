#include "runtime/device/cuda/torch/torch_workers.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "runtime/device/cpu/sandbox.h"

namespace ws::cuda {
namespace {

std::string program() {
  return executable_path().replace_filename("warpsmith").string();
}

/// The refusal of a worker of these interpreters; "" where landlock is missing, without which there
/// are none.
std::string refusal_of(const std::vector<std::string>& interpreters) {
  if (cpu::landlock_abi() == 0) {
    MESSAGE("left out: workers with PyTorch (this kernel has no landlock)");
    return "";
  }
  TorchWorkers workers({.executable = program(), .interpreters = interpreters});
  const auto worker = workers.take({.source = "", .mode = ModuleMode::kEager}, {});
  return worker ? "taken" : to_text(worker.error());
}

constexpr const char* kHint =
    "; install PyTorch with CUDA, and start warpsmith in its environment or name its interpreter "
    "in WARPSMITH_PYTHON";

}  // namespace

TEST_SUITE("device.cuda.torch_workers") {
  TEST_CASE("without an interpreter there is no worker") {
    const std::string told = refusal_of({});
    CHECK((told.empty() ||
           told == std::string("unsupported: no Python interpreter here has PyTorch with CUDA") +
                       kHint));
  }

  TEST_CASE("an interpreter that is not there is named with the reason") {
    const std::string told = refusal_of({"/no/such/python3"});
    CHECK_MESSAGE(
        (told.empty() ||
         told ==
             std::string("unsupported: no Python interpreter here has PyTorch with CUDA: "
                         "/no/such/python3: io: the interpreter cannot be started (execve: No such "
                         "file or directory)") +
                 kHint),
        told);
  }

  TEST_CASE("a PyTorch that sees no GPU is named") {
    if (!std::filesystem::exists("/usr/lib/python3/dist-packages/torch")) {
      MESSAGE("left out: a PyTorch without a GPU (python3-torch is not installed)");
      return;
    }
    const std::string told = refusal_of({"/usr/bin/python3"});
    CHECK_MESSAGE(
        (told.empty() ||
         (told.starts_with("unsupported: no Python interpreter here has PyTorch with CUDA: "
                           "/usr/bin/python3: PyTorch ") &&
          told.ends_with(std::string(" is built without CUDA") + kHint))),
        told);
  }
}

}  // namespace ws::cuda
