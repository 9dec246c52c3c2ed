// A folder that `pip install` builds: kernel, operator, and a test against the reference.
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_check.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"

namespace ws {
namespace {

std::string launch_function(const std::string& who) {
  return "void launch_" + who + "(const Arguments& given, const Memory& memory)";
}

/// The declarations of kernel.cu that binding.cpp sees.
std::string header_text(const Handover& handover, const CudaUnit& unit) {
  std::string text = comment_line("// ", "The arguments of " + handover.kernel.id + ".") +
                     "#pragma once\n\n" + unit.numbers + "\nnamespace handover {\n\n" +
                     "/// Launches on PyTorch's current stream of the current device.\n" +
                     launch_function("kernel") + ";\n";
  if (!unit.reference.empty()) {
    text += launch_function("reference") + ";\n";
  }
  return text + "\n}  // namespace handover\n";
}

std::string kernel_text(const CudaUnit& unit) {
  std::string text = "#include <c10/cuda/CUDAStream.h>\n\n#include \"kernel.h\"\n\n" +
                     std::string(handover_launch()) + "\n" + unit.reference + "\n" + unit.launcher +
                     "\nnamespace handover {\n\n";
  const auto add = [&text](const std::string& who) {
    text += launch_function(who) + " {\n  run_" + who +
            "(given, memory, c10::cuda::getCurrentCUDAStream());\n}\n";
  };
  add("kernel");
  if (!unit.reference.empty()) {
    add("reference");
  }
  return text + "\n}  // namespace handover\n";
}

/// The words of an option text as items of a list of Python.
std::string option_items(const std::string& options) {
  std::string items;
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(' ', at), options.size());
    items += end > at ? ", " + python_string(options.substr(at, end - at)) : "";
    at = end + 1;
  }
  return items;
}

std::string setup_text(const Handover& handover, const std::string& module) {
  const std::string options = nvcc_target(handover) + nvcc_options(handover.kernel);
  const bool newer = options.find("-std=") != std::string::npos;
  return comment_line("# ", "Builds " + handover.kernel.id + " as an extension of PyTorch.") +
         "from setuptools import setup\n"
         "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n\n"
         "# PyTorch hides the operators of short floats from the code that it builds.\n"
         "SHOWN = [\"-U__CUDA_NO_HALF_OPERATORS__\", \"-U__CUDA_NO_HALF_CONVERSIONS__\",\n"
         "         \"-U__CUDA_NO_HALF2_OPERATORS__\", \"-U__CUDA_NO_BFLOAT16_CONVERSIONS__\"]\n\n"
         "setup(\n    name=\"" +
         module + "\",\n    version=\"1.0\",\n    ext_modules=[CUDAExtension(\n        \"" +
         module +
         "\", [\"binding.cpp\", \"kernel.cu\"],\n        extra_compile_args={\"cxx\": [\"-O2\", "
         "\"-std=c++17\"],\n                            \"nvcc\": [\"-O3\"" +
         (newer ? "" : ", \"-std=c++17\"") + option_items(options) +
         "] + SHOWN})],\n    cmdclass={\"build_ext\": BuildExtension})\n";
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
      {"kernel.cu",
       head_of(handover, "// ", {"", "README.md says how it is built."}) + kernel_text(unit)},
      {"kernel.h", header_text(handover, unit)},
      {"binding.cpp",
       comment_line("// ", "The operator of PyTorch for " + handover.kernel.id + ".") + binding},
      {"setup.py", setup_text(handover, module)},
      {"test_" + module + ".py", test},
      {"README.md", readme_text(handover, module)}};
}

}  // namespace ws
