// What a GPU's driver reports of a kernel, in the words of the contract.
#pragma once

#include "runtime/device/fault_report.h"

namespace ws {

/// @param outcome  Its reply's status is kDriverError: `detail` is the driver's code, `step` the
///                 launch; its text may hold the line of a failed assertion.
/// @source         The codes of the CUDA driver API.
void describe_driver_fault(Fault& fault, const RunOutcome& outcome, const ResolvedPlan& plan);

}  // namespace ws
