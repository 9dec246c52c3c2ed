// A solution file of KernelBench: the module of the problem, and a class ModelNew that has its
// weights and calls the kernel in the place of its forward.
#include <algorithm>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/exchange/definition.h"
#include "runtime/exchange/module_arguments.h"
#include "runtime/exchange/own_field.h"
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/head.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_unit.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/module_reference.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The file that the problem was made of, without the functions that an import adds
/// (runtime/worker/python_problem.py).
std::string module_source(const Problem& problem) {
  const std::string& source = problem.reference_source;
  const std::size_t added = source.find("\n\n# How the problem's arguments reach the module");
  return source.substr(0, std::min(added, source.find("\ndef make_module(")));
}

std::string model_text(const Problem& problem, const ModuleArguments& module) {
  std::string names;
  for (const ArgSpec& arg : problem.args) {
    const auto weight = std::ranges::find(
        module.weights, arg.name, [](const auto& each) { return std::string_view(each.second); });
    names += weight == module.weights.end() ? "" : python_string(weight->first) + ", ";
  }
  return "class ModelNew(Model):\n"
         "    \"\"\"The constructor and the weights are the module's; the kernel takes the place "
         "of "
         "its forward.\"\"\"\n\n"
         "    def forward(self, *inputs):\n"
         "        state = dict(self.named_parameters()) | dict(self.named_buffers())\n"
         "        tensors = [each for each in inputs if torch.is_tensor(each)]\n"
         "        tensors += [state[name] for name in (" +
         names +
         ")]\n"
         "        with torch.no_grad():\n"
         "            return kernel.run(*tensors)\n";
}

Result<ModuleArguments> arguments_of_module(const Handover& handover) {
  std::optional<ModuleArguments> known = module_arguments(handover.problem);
  const bool model = known && has_module(handover.problem) &&
                     module_source(handover.problem).find("class Model(") != std::string::npos;
  if (!model) {
    return fail(ErrorCode::kUnsupported,
                "a solution of KernelBench takes the place of a module's class Model, and " +
                    handover.problem.id + " was not made of one",
                "make the problem with `warpsmith import pytorch`");
  }
  return *std::move(known);
}

}  // namespace

Result<std::vector<HandoverFile>> kernelbench_files(const Handover& handover) {
  WS_TRY(const ModuleArguments arguments, arguments_of_module(handover));
  WS_TRY(CudaUnit unit, cuda_unit(handover));
  unit.reference.clear();
  const std::string header = torch_header(unit);
  WS_TRY(const std::string function, torch_function(handover, "run"));
  const std::string cpp = header + "\n" + function;
  const std::string cuda = torch_kernel(unit, header);
  const std::string module = "kernel_" + module_name(handover.kernel.name);
  const std::string options = nvcc_target(handover) + nvcc_options(handover.kernel);
  const bool newer = options.find("-std=") != std::string::npos;
  const std::string before =
      head_of(handover, "# ",
              {"", "A solution of KernelBench: class ModelNew, with the weights of class Model."}) +
      module_source(handover.problem) +
      "\n\nimport torch\nfrom torch.utils.cpp_extension import load_inline\n\n# The problem and "
      "the "
      "kernel, for `warpsmith import kernelbench`.\n";
  const std::string behind =
      "\n\ncpp_source = " + python_text(cpp) + "\n\ncuda_source = " + python_text(cuda) + "\n\n" +
      chosen_standard() + "\nkernel = load_inline(\n    name=" + python_string(module) +
      ",\n    cpp_sources=cpp_source,\n    cuda_sources=cuda_source,\n    functions=[\"run\"],\n"
      "    extra_cflags=[\"-O2\"] + STANDARD,\n    extra_cuda_cflags=[\"-O3\"" +
      option_items(options) + ",\n         " + shown_operators() + "]" +
      (newer ? "" : " + STANDARD") + ")\n\n\n" + model_text(handover.problem, arguments);
  const OrderedJson own =
      own_field({{"problem", OrderedJson::parse(handover.problem.json)},
                 {"kernel", OrderedJson::parse(handover.kernel.json)}},
                {{"cpp_sources", cpp}, {"cuda_sources", cuda}, {kFilePart, before + behind}});
  return std::vector<HandoverFile>{
      {module + ".py", before + kOwnField + " = " + python_text(own.dump()) + behind}};
}

}  // namespace ws
