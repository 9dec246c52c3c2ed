// A kernel and its baseline, counted on the CPU engine, and how much faster a GPU would run it.
#pragma once

#include "runtime/base/call_context.h"
#include "runtime/device/backend.h"
#include "runtime/evaluate/measure/baseline.h"
#include "runtime/profile/modelled_speedup.h"

namespace ws {

struct ModelledSpeedRequest {
  Params params;
  Baseline baseline;         ///< Not `none`. It runs with its defaults.
  std::uint64_t secret = 0;  ///< The secret of inputs and poison.
};

/// Counts both on the workloads that a benchmark would time, with the same inputs; what they leave
/// in the outputs has to agree. `unknown` also says where one of them does not run here, and where
/// a workload is too large to run whole: a kernel may do something else with large ones.
/// @param engine  An emulated device. @errors Those of timed_workloads and run_in_software;
/// kCancelled.
Result<ModelledSpeedup> model_speed(Backend& engine, const Subject& subject,
                                    const ModelledSpeedRequest& request,
                                    const CallContext& context);

}  // namespace ws
