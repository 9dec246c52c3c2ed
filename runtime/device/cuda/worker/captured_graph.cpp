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

}  // namespace ws::cuda
