// The faults that a GPU's driver reports, in the words of the contract.
#pragma once

#include "runtime/device/fault_report.h"

namespace ws {

/// Set in a code of HIP's, as RunReply::detail holds it.
inline constexpr std::uint32_t kHipCode = 0x80000000U;

/// @param outcome  Its reply's status is kDriverError: `detail` is the driver's code, `step` the
///                 launch; its text may hold the line of a failed assertion.
/// @source         The codes of the CUDA driver API; HIP has the same numbers for what it reports.
void describe_driver_fault(Fault& fault, const RunOutcome& outcome, const ResolvedPlan& plan);

}  // namespace ws
