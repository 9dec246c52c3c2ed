#include "runtime/evaluate/measure/measurement.h"

#include <algorithm>

#include "runtime/evaluate/measure/speed_comparison.h"

namespace ws {

Result<std::vector<TimedWorkload>> timed_workloads(const Subject& subject,
                                                   const std::vector<Workload>& asked,
                                                   const Params& params, bool emulated) {
  std::vector<Workload> listed = asked;
  if (listed.empty()) {
    WS_TRY(listed, expand_workloads(subject.problem));
  }
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, params));
  std::vector<TimedWorkload> chosen;
  for (const Workload& workload : coverage.run) {
    Shrunk shrunk{workload, std::nullopt};
    if (emulated) {
      WS_TRY(shrunk, shrink_for_emulation(subject.problem, subject.kernel, params, workload));
    }
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const TimedWorkload& other) {
      return other.workload == shrunk.workload;
    });
    if (!known && chosen.size() < kMaxWorkloadsTimed) {
      chosen.push_back({shrunk.workload, shrunk.from});
    }
  }
  return chosen;
}

Result<Measurement> measure_kernel(Backend& backend, const Subject& subject,
                                   const BenchmarkRequest& request, const CallContext& context) {
  WS_TRY(const DeviceInfo device, backend.info());
  WS_TRY(const std::vector<TimedWorkload> chosen,
         timed_workloads(subject, request.workloads, request.params, device.emulated));
  return compare_speed(backend, subject, request, chosen, context);
}

}  // namespace ws
