// The faults that a GPU's driver reports, in the words of the contract.
#pragma once

#include <chrono>

#include "runtime/device/fault_report.h"

namespace ws {

/// Set in a code of HIP's, as RunReply::detail holds it.
inline constexpr std::uint32_t kHipCode = 0x80000000U;
/// Set in the positive number of an error of Vulkan's.
inline constexpr std::uint32_t kVulkanCode = 0x40000000U;
/// With kVulkanCode: the reply's site is a loop that the device ends, however long it should run.
inline constexpr std::uint32_t kEndlessLoop = 0xffff;
/// With kVulkanCode: the driver did not compile the shaders within kDriverCompileLimit.
inline constexpr std::uint32_t kEndlessCompile = 0xfffe;
inline constexpr std::chrono::seconds kDriverCompileLimit{20};

/// @param outcome  Its reply's status is kDriverError: `detail` is the driver's code, `step` the
///                 launch; its text may hold the line of a failed assertion.
/// @source         The codes of the CUDA driver API; HIP has the same numbers for what it reports.
///                 VkResult of Vulkan 1.3.
void describe_driver_fault(Fault& fault, const RunOutcome& outcome, const Image& image,
                           const ResolvedPlan& plan);

}  // namespace ws
