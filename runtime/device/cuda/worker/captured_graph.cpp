#include "runtime/device/cuda/worker/captured_graph.h"

namespace ws::cuda {

Result<Graph> captured_graph(Context& context, const std::function<Status()>& enqueue) {
  Driver& driver = context.driver();
  WS_CHECK(WS_CU_CALL(driver, cuStreamBeginCapture, context.stream(), kCuCaptureThreadLocal));
  const Status enqueued = enqueue();
  CuGraph captured = nullptr;
  const CuResult ended = driver.api().cuStreamEndCapture(context.stream(), &captured);
  Graph graph(driver, captured);
  WS_CHECK(enqueued);
  WS_CHECK(driver.check(ended, "cuStreamEndCapture"));
  return graph;
}

Result<GraphExec> ready_graph(Context& context, const std::function<Status()>& enqueue) {
  WS_TRY(const Graph graph, captured_graph(context, enqueue));
  CuGraphExec ready = nullptr;
  WS_CHECK(WS_CU_CALL(context.driver(), cuGraphInstantiateWithFlags, &ready, graph.get(), 0));
  return GraphExec(context.driver(), ready);
}

}  // namespace ws::cuda
