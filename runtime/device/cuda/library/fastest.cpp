#include "runtime/device/cuda/library/fastest.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "runtime/device/cuda/worker/cache_flush.h"
#include "runtime/device/cuda/worker/captured_graph.h"

namespace ws::cuda {
namespace {

constexpr int kRunsOfWay = 5;
/// A way whose shortest run takes less than this share of the first one's is clearly faster.
constexpr float kClearly = 0.97F;

/// In milliseconds. @errors Those of `enqueue`; as Driver::check.
Result<float> shortest_run(Context& context, const Region& flush,
                           const std::function<Status()>& enqueue) {
  Driver& driver = context.driver();
  WS_TRY(const Event start, make_event(driver));
  WS_TRY(const Event stop, make_event(driver));
  WS_CHECK(enqueue());
  WS_TRY(const GraphExec timed, ready_graph(context, [&]() -> Status {
           WS_CHECK(WS_CU_CALL(driver, cuEventRecordWithFlags, start.get(), context.stream(),
                               kCuEventRecordExternal));
           WS_CHECK(enqueue());
           return WS_CU_CALL(driver, cuEventRecordWithFlags, stop.get(), context.stream(),
                             kCuEventRecordExternal);
         }));
  float shortest = std::numeric_limits<float>::max();
  for (int run = 0; run < kRunsOfWay; ++run) {
    WS_CHECK(overwrite(driver, context.stream(), flush, 0, 0));
    WS_CHECK(WS_CU_CALL(driver, cuGraphLaunch, timed.get(), context.stream()));
    WS_CHECK(context.synchronize());
    float milliseconds = 0;
    WS_CHECK(WS_CU_CALL(driver, cuEventElapsedTime, &milliseconds, start.get(), stop.get()));
    shortest = std::min(shortest, milliseconds);
  }
  return shortest;
}

}  // namespace

Result<std::size_t> fastest(Context& context, std::size_t count,
                            const std::function<Status(std::size_t)>& enqueue) {
  WS_TRY(const Region flush, flush_region(context));
  std::optional<std::size_t> best;
  float least = std::numeric_limits<float>::max();
  Error why{ErrorCode::kUnsupported,
            "the library knows no way to compute this",
            "choose another baseline or other workloads",
            {}};
  for (std::size_t i = 0; i < count; ++i) {
    const Result<float> took = shortest_run(context, flush, [&] { return enqueue(i); });
    if (!took) {
      why = took.error();
    } else if (*took < least) {
      least = best ? *took : kClearly * *took;
      best = i;
    }
  }
  if (!best) {
    return fail(std::move(why));
  }
  return *best;
}

}  // namespace ws::cuda
