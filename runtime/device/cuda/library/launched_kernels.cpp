#include "runtime/device/cuda/library/launched_kernels.h"

#include "runtime/device/cuda/worker/captured_graph.h"

namespace ws::cuda {
namespace {

/// Names of templates are far longer, and say no more to a reader.
constexpr std::size_t kMostOfName = 120;

/// "" for a node that is no kernel.
std::string kernel_of(const DriverTable& api, CuGraphNode node) {
  int type = kCuGraphNodeKernel;
  CuKernelNode kernel;
  if (api.cuGraphNodeGetType(node, &type) != kCuSuccess || type != kCuGraphNodeKernel ||
      api.cuGraphKernelNodeGetParams(node, &kernel) != kCuSuccess) {
    return {};
  }
  const char* name = nullptr;
  const CuResult told = kernel.function != nullptr ? api.cuFuncGetName(&name, kernel.function)
                                                   : api.cuKernelGetName(&name, kernel.kernel);
  return told == kCuSuccess && name != nullptr ? std::string(name).substr(0, kMostOfName)
                                               : std::string();
}

}  // namespace

Result<std::vector<std::string>> launched_kernels(Context& context,
                                                  const std::function<Status()>& enqueue) {
  const DriverTable& api = context.driver().api();
  if (api.cuFuncGetName == nullptr || api.cuKernelGetName == nullptr ||
      api.cuGraphGetNodes == nullptr || api.cuGraphNodeGetType == nullptr ||
      api.cuGraphKernelNodeGetParams == nullptr) {
    return std::vector<std::string>();
  }
  WS_TRY(const Graph graph, captured_graph(context, enqueue));
  std::size_t count = 0;
  WS_CHECK(WS_CU_CALL(context.driver(), cuGraphGetNodes, graph.get(), nullptr, &count));
  std::vector<CuGraphNode> nodes(count);
  WS_CHECK(WS_CU_CALL(context.driver(), cuGraphGetNodes, graph.get(), nodes.data(), &count));
  std::vector<std::string> names;
  for (CuGraphNode node : nodes) {
    if (std::string name = kernel_of(api, node); !name.empty()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace ws::cuda
