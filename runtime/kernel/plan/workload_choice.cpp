// Choosing among workloads: the smallest, and those that a kernel covers.

#include "runtime/kernel/plan/params.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

Result<Workload> smallest_workload(const Problem& problem, const std::vector<Workload>& workloads) {
  const Workload* best = nullptr;
  std::int64_t least = 0;
  for (const Workload& workload : workloads) {
    WS_TRY(const std::int64_t cost, cost_of(problem, workload));
    if (best == nullptr || cost < least) {
      best = &workload;
      least = cost;
    }
  }
  if (best == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "no workload to choose from");
  }
  return *best;
}

Result<Coverage> cover(const Problem& problem, const Kernel& kernel,
                       const std::vector<Workload>& workloads, const Params& params) {
  Coverage coverage;
  for (const Workload& workload : workloads) {
    WS_TRY(std::string broken, broken_constraint(problem, kernel, workload, params));
    if (broken.empty()) {
      coverage.run.push_back(workload);
    } else {
      coverage.unsupported.push_back({workload, std::move(broken)});
    }
  }
  if (coverage.run.empty() && !coverage.unsupported.empty()) {
    const UnsupportedWorkload& first = coverage.unsupported.front();
    return fail(ErrorCode::kInvalidArgument,
                "no workload left by constraints: " + to_json_text(first.workload) + " breaks `" +
                    first.constraint + "`",
                "choose other params, or relax the constraints");
  }
  return coverage;
}

}  // namespace ws
