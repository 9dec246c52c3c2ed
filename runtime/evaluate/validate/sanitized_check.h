// Level `sanitize` on a device that has a sanitizer: runs of a kernel in which each access of each
// thread is looked at. Results are not compared here.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/device/fault_report.h"
#include "runtime/device/sanitizer.h"
#include "runtime/evaluate/subject.h"

namespace ws {

/// A mistake, in the form that faults of the CPU engine have.
struct SanitizerFinding {
  SanitizerTool tool = SanitizerTool::kMemcheck;
  Fault fault;                          ///< With the verdict that it stands for.
  std::optional<SanitizerPlace> other;  ///< The second place of a race.
  std::optional<std::array<std::uint32_t, 3>> other_block;  ///< Those of the second access.
  std::optional<std::array<std::uint32_t, 3>> other_thread;
  std::uint64_t count = 1;  ///< As SanitizerRecord::count.
};

/// The part of a validation that sanitizers have.
struct SanitizerResult {
  std::vector<SanitizerFinding> findings;  ///< Those of memcheck first.
  std::vector<SanitizerTool> clean;        ///< They ran on every workload and found nothing.
  std::vector<std::string> skipped;        ///< Why a tool did not finish: one sentence each.
};

/// The device's sanitizer, ready to be used. @param device  The backend's.
/// @errors kUnsupported: it has none, or the program is not installed: how to get it.
Result<Sanitizes*> sanitizer_of(Backend& backend, const DeviceInfo& device);

/// @param record  Of a run of `plan`.
SanitizerFinding describe(const SanitizerRecord& record, const ResolvedPlan& plan);

/// Runs every tool on every workload, with the declared fills.
/// @param secret  All inputs come from it. @param report  From 0 to 1, as the runs go on.
/// @errors kInvalidArgument: the plan; kCancelled; those of the backend and of Sanitizes.
Result<SanitizerResult> sanitize_kernel(Backend& backend, Sanitizes& sanitizer,
                                        const Subject& subject,
                                        const std::vector<Workload>& workloads,
                                        const Params& params, std::uint64_t secret,
                                        const CallContext& context);

}  // namespace ws
