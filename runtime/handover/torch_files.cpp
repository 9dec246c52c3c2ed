#include <iterator>
#include <utility>

#include "runtime/handover/common_files.h"
#include "runtime/handover/launcher.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_test_file.h"

namespace ws {
namespace {

std::string setup_text(const Handover& handover) {
  const std::string name = handover_name(handover.kernel);
  std::string options;
  for (const std::string& option : nvcc_options(handover.kernel)) {
    options += (options.empty() ? "" : ", ") + cpp_literal(option);
  }
  return provenance_comment(handover, "# ") + "import os\n\nfrom setuptools import setup\nfrom " +
         "torch.utils.cpp_extension import BuildExtension, CUDAExtension\n\n" +
         (needs_hopper(handover.kernel)
              ? std::string("os.environ.setdefault(\"TORCH_CUDA_ARCH_LIST\", \"9.0a\")\n")
              : std::string()) +
         "here = os.path.dirname(os.path.abspath(__file__))\nsetup(\n    name=\"" + name +
         "\",\n    ext_modules=[CUDAExtension(\n        \"" + name + "\", [\"binding.cpp\", " +
         "\"kernel.cu\"" + (handover.problem.reference != nullptr ? ", \"reference.cu\"" : "") +
         "],\n        include_dirs=[here, os.path.join(here, \"headers\")],\n        " +
         "extra_compile_args={\"nvcc\": [" + options +
         "]})],\n    cmdclass={\"build_ext\": BuildExtension})\n";
}

std::string extension_readme(const Handover& handover) {
  const std::string name = handover_name(handover.kernel);
  return "# " + name + "\n\n" + provenance_comment(handover, "") +
         "\n```sh\npip install --no-build-isolation .\npython test_kernel.py\n```\n\nAfter "
         "`import torch, " +
         name + "`, `torch.ops." + name +
         ".run(...)` takes the problem's inputs in their order and gives its outputs.\n";
}

}  // namespace

Result<std::vector<HandedFile>> torch_files(const Handover& handover) {
  WS_TRY(std::string binding, torch_binding(handover));
  WS_TRY(std::vector<HandedFile> test, torch_test_files(handover));
  WS_TRY(std::vector<HandedFile> files, common_files(handover));
  files.push_back({"binding.cpp", std::move(binding)});
  files.push_back({"setup.py", setup_text(handover)});
  std::move(test.begin(), test.end(), std::back_inserter(files));
  files.insert(files.begin(), {"README.md", extension_readme(handover)});
  return files;
}

}  // namespace ws
