// The workloads that a tuning times: those that the kernel covers, made smaller for an emulated
// device.
#pragma once

#include <vector>

#include "runtime/evaluate/subject.h"
#include "tools/tool.h"

namespace ws {

struct TuneScope {
  std::vector<Workload> covered;  ///< The workloads that the kernel is tuned for.
  std::vector<Workload> timed;    ///< The same, made smaller for an emulated device.
};

/// By the defaults, or by another point where the constraints exclude them.
/// @param asked_form  `workloads` as sent; empty: the problem's own. @param seed  Draws that point.
/// @errors kInvalidArgument: no workload or no point is left by the constraints; one of them cannot
/// be evaluated.
Result<TuneScope> tune_scope(const Subject& subject, const Json& asked_form, bool emulated,
                             std::uint64_t seed);

}  // namespace ws
