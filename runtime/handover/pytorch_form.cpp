// A folder that `pip install` builds: kernel, operator, and a test against the reference.
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_check.h"
#include "runtime/handover/torch_unit.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"

namespace ws {
namespace {

constexpr const char* kInclude = "#include \"kernel.h\"\n\n";

std::string setup_text(const Handover& handover, const std::string& module) {
  const std::string options = nvcc_target(handover) + nvcc_options(handover.kernel);
  const bool newer = options.find("-std=") != std::string::npos;
  return comment_line("# ", "Builds " + handover.kernel.id + " as an extension of PyTorch.") +
         "import torch\nfrom setuptools import setup\n"
         "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n\n" +
         chosen_standard() +
         "# PyTorch hides the operators of short floats from the code that it builds.\nSHOWN = [" +
         shown_operators() + "]\n\nsetup(\n    name=\"" + module +
         "\",\n    version=\"1.0\",\n    ext_modules=[CUDAExtension(\n        \"" + module +
         "\", [\"binding.cpp\", \"kernel.cu\"],\n        extra_compile_args={\"cxx\": [\"-O2\"] + "
         "STANDARD,\n                            \"nvcc\": [\"-O3\"" +
         option_items(options) + "] + SHOWN" + (newer ? "" : " + STANDARD") +
         "})],\n    cmdclass={\"build_ext\": BuildExtension})\n";
}

std::string readme_text(const Handover& handover, const std::string& module) {
  return "# " + module + "\n\n```sh\npip install --no-build-isolation .\npython3 test_" + module +
         ".py\n```\n\nThen `import " + module + "` registers `torch.ops." + module +
         ".run`. Its arguments are those of `" + python_usage(handover.problem) +
         "`\nin this order, all by position. The first lines of `kernel.cu` say which sizes were "
         "verified; others are refused.\nThere is no backward, and under `torch.compile` sizes "
         "must be numbers (`dynamic=False`).\n";
}

}  // namespace

Result<std::vector<HandoverFile>> pytorch_files(const Handover& handover) {
  const std::string module = "kernel_" + module_name(handover.kernel.name);
  WS_TRY(const CudaUnit unit, cuda_unit(handover));
  WS_TRY(const std::string binding, torch_binding(handover, module));
  WS_TRY(const std::string test, torch_check(handover, module));
  return std::vector<HandoverFile>{
      {"kernel.cu", head_of(handover, "// ", {"", "README.md says how it is built."}) +
                        torch_kernel(unit, kInclude)},
      {"kernel.h", comment_line("// ", "The arguments of " + handover.kernel.id + ".") +
                       "#pragma once\n\n" + torch_header(unit)},
      {"binding.cpp",
       comment_line("// ", "The operator of PyTorch for " + handover.kernel.id + ".") + kInclude +
           binding},
      {"setup.py", setup_text(handover, module)},
      {"test_" + module + ".py", test},
      {"README.md", readme_text(handover, module)}};
}

}  // namespace ws
