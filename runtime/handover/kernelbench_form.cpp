// A solution file of KernelBench: the module of the problem, and a class ModelNew that has its
// weights and calls the kernel in the place of its forward.
#include <map>

#include <nlohmann/json.hpp>

#include "runtime/exchange/definition.h"
#include "runtime/exchange/solution.h"
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/head.h"
#include "runtime/handover/torch_binding.h"
#include "runtime/handover/torch_unit.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/module_reference.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// The file that the problem was made of, without the functions that an import adds
/// (runtime/worker/python_problem.py).
std::string module_source(const Problem& problem) {
  const std::string& source = problem.reference_source;
  const std::size_t added = source.find("\n\n# How the problem's arguments reach the module");
  return source.substr(0, std::min(added, source.find("\ndef make_module(")));
}

/// Argument -> weight, from the line of load_module() that has them: [('a.b', 'a_b'), ...].
std::map<std::string, std::string> weights_of(const Problem& problem) {
  const std::string& source = problem.reference_source;
  constexpr std::string_view kLine = "        for name, argument in [";
  std::size_t at = source.find(kLine);
  const std::size_t end = source.find("]:\n", at);
  std::map<std::string, std::string> weights;
  if (at == std::string::npos || end == std::string::npos) {
    return weights;
  }
  std::vector<std::string> words;
  for (at += kLine.size(); at < end;) {
    const std::size_t open = source.find('\'', at);
    const std::size_t close = source.find('\'', open + 1);
    if (open >= end || close >= end) {
      break;
    }
    words.push_back(source.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    weights[words[i + 1]] = words[i];
  }
  return weights;
}

std::string model_text(const Problem& problem) {
  const std::map<std::string, std::string> weights = weights_of(problem);
  std::string names;
  for (const ArgSpec& arg : problem.args) {
    if (const auto weight = weights.find(arg.name); weight != weights.end()) {
      names += python_string(weight->second) + ", ";
    }
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

Status check_module(const Handover& handover) {
  const bool model = has_module(handover.problem) &&
                     module_source(handover.problem).find("class Model(") != std::string::npos;
  if (!model) {
    return fail(ErrorCode::kUnsupported,
                "a solution of KernelBench takes the place of a module's class Model, and " +
                    handover.problem.id + " was not made of one",
                "make the problem with `warpsmith import pytorch`");
  }
  return {};
}

}  // namespace

Result<std::vector<HandoverFile>> kernelbench_files(const Handover& handover) {
  WS_CHECK(check_module(handover));
  WS_TRY(CudaUnit unit, cuda_unit(handover));
  unit.reference.clear();
  const std::string header = torch_header(unit);
  WS_TRY(const std::string function, torch_function(handover, "run"));
  const std::string cpp = header + "\n" + function;
  const std::string cuda = torch_kernel(unit, header);
  const std::string module = "kernel_" + module_name(handover.kernel.name);
  const Json own = {{"problem", Json::parse(handover.problem.json)},
                    {"kernel", Json::parse(handover.kernel.json)},
                    {"sources", digest_of_sources(Json::array({cpp, cuda}))}};
  const std::string options = nvcc_target(handover) + nvcc_options(handover.kernel);
  const bool newer = options.find("-std=") != std::string::npos;
  const std::string text =
      head_of(handover, "# ",
              {"", "A solution of KernelBench: class ModelNew, with the weights of class Model."}) +
      module_source(handover.problem) +
      "\n\nimport torch\nfrom torch.utils.cpp_extension import load_inline\n\n# The problem and "
      "the "
      "kernel, for `warpsmith import kernelbench`.\n" +
      kOwnField + " = " + python_text(own.dump()) + "\n\ncpp_source = " + python_text(cpp) +
      "\n\ncuda_source = " + python_text(cuda) +
      "\n\nkernel = load_inline(\n    name=" + python_string(module) +
      ",\n    cpp_sources=cpp_source,\n    cuda_sources=cuda_source,\n    functions=[\"run\"],\n"
      "    extra_cflags=[\"-O2\", \"-std=c++17\"],\n    extra_cuda_cflags=[\"-O3\"" +
      (newer ? "" : ", \"-std=c++17\"") + option_items(options) + ",\n         " +
      shown_operators() + "])\n\n\n" + model_text(handover.problem);
  return std::vector<HandoverFile>{{module + ".py", text}};
}

}  // namespace ws
