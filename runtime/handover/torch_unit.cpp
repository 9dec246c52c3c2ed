#include "runtime/handover/torch_unit.h"

#include <algorithm>

#include "runtime/handover/embedded.h"
#include "runtime/handover/words.h"

namespace ws {
namespace {

std::string launch_function(const std::string& who) {
  return "void launch_" + who + "(const Arguments& given, const Memory& memory)";
}

}  // namespace

std::string torch_header(const CudaUnit& unit) {
  std::string text = unit.numbers + "\nnamespace handover {\n\n" +
                     "/// Launches on PyTorch's current stream of the current device.\n" +
                     launch_function("kernel") + ";\n";
  if (!unit.reference.empty()) {
    text += launch_function("reference") + ";\n";
  }
  return text + "\n}  // namespace handover\n";
}

std::string torch_kernel(const CudaUnit& unit, const std::string& header) {
  std::string text = "#include <c10/cuda/CUDAStream.h>\n\n" + header +
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

std::string shown_operators() {
  return "\"-U__CUDA_NO_HALF_OPERATORS__\", \"-U__CUDA_NO_HALF_CONVERSIONS__\",\n"
         "         \"-U__CUDA_NO_HALF2_OPERATORS__\", \"-U__CUDA_NO_BFLOAT16_CONVERSIONS__\"";
}

std::string chosen_standard() {
  return "# The headers of PyTorch decide which C++ it chooses; before 2.1 it chooses too old a "
         "one.\n"
         "OLD = tuple(map(int, torch.__version__.split(\".\")[:2])) < (2, 1)\n"
         "STANDARD = [\"-std=c++17\"] if OLD else []\n";
}

std::string option_items(const std::string& options) {
  std::string items;
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(' ', at), options.size());
    items += end > at ? ", " + python_string(options.substr(at, end - at)) : "";
    at = end + 1;
  }
  return items;
}

}  // namespace ws
