// The report of compute-sanitizer, read into records.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/device/sanitizer.h"

namespace ws::cuda {

/// The addresses of a plan's buffers while it ran, in the order of RunPlan::buffers.
using BufferAddresses = std::vector<std::uint64_t>;

/// Reports that name the same places are one record. Lines that are not understood are left out,
/// but for the first line of a report: that is kept as its text.
///
/// @param report     What the program wrote, each line after its prefix "========= ".
/// @param addresses  Records whose access lies in or near a buffer name it.
/// @source Compute Sanitizer 2025.3, user manual, "Understanding memcheck errors" and the like.
std::vector<SanitizerRecord> read_report(SanitizerTool tool, std::string_view report,
                                         const RunPlan& plan, const BufferAddresses& addresses);

}  // namespace ws::cuda
