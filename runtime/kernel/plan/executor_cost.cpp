#include "runtime/kernel/plan/executor_cost.h"

#include <limits>

#include "runtime/kernel/plan/workloads.h"

namespace ws {

Result<std::int64_t> executor_cost_of(const Problem& problem, const Workload& workload) {
  constexpr std::int64_t kOfElement = 50;
  WS_TRY(const std::int64_t cost, cost_of(problem, workload));
  WS_TRY(const std::int64_t elements, elements_of(problem, workload));
  std::int64_t sum = 0;
  const bool too_large =
      __builtin_mul_overflow(elements, kOfElement, &sum) || __builtin_add_overflow(sum, cost, &sum);
  return too_large ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace ws
