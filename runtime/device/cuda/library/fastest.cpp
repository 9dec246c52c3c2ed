#include "runtime/device/cuda/library/fastest.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ws::cuda {
namespace {

constexpr int kRunsOfWay = 5;

/// In milliseconds. @errors Those of `enqueue`; as Driver::check.
Result<float> shortest_run(Context& context, const std::function<Status()>& enqueue) {
  Driver& driver = context.driver();
  WS_TRY(const Event start, make_event(driver));
  WS_TRY(const Event stop, make_event(driver));
  WS_CHECK(enqueue());
  float shortest = std::numeric_limits<float>::max();
  for (int run = 0; run < kRunsOfWay; ++run) {
    WS_CHECK(WS_CU_CALL(driver, cuEventRecordWithFlags, start.get(), context.stream(), 0));
    WS_CHECK(enqueue());
    WS_CHECK(WS_CU_CALL(driver, cuEventRecordWithFlags, stop.get(), context.stream(), 0));
    WS_CHECK(WS_CU_CALL(driver, cuEventSynchronize, stop.get()));
    float milliseconds = 0;
    WS_CHECK(WS_CU_CALL(driver, cuEventElapsedTime, &milliseconds, start.get(), stop.get()));
    shortest = std::min(shortest, milliseconds);
  }
  return shortest;
}

}  // namespace

Result<std::size_t> fastest(Context& context, std::size_t count,
                            const std::function<Status(std::size_t)>& enqueue) {
  std::optional<std::size_t> best;
  float least = std::numeric_limits<float>::max();
  Error why{ErrorCode::kUnsupported,
            "the library knows no way to compute this",
            "choose another baseline or other workloads",
            {}};
  for (std::size_t i = 0; i < count; ++i) {
    const Result<float> took = shortest_run(context, [&] { return enqueue(i); });
    if (!took) {
      why = took.error();
    } else if (*took < least) {
      least = *took;
      best = i;
    }
  }
  if (!best) {
    return fail(std::move(why));
  }
  return *best;
}

}  // namespace ws::cuda
