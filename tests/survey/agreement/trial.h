// Launches of kernels that nobody described: sizes, arguments and contents that suit many kernels,
// made from nothing but an entry's parameters.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/compile/compile.h"
#include "runtime/device/arena.h"

namespace ws::survey {

/// One way to launch a kernel.
struct Trial {
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> block;
  std::int64_t number;  ///< The value of all integers.
};

/// All ways, likely ones first.
std::span<const Trial> trials();

/// One launch of `entry`: each pointer gets a buffer of its own, each integer the trial's number.
/// @param entry    From the CPU engine, whose parameters have names and types as written.
/// @param for_gpu  From NVRTC, whose types are without the source's own names for them.
/// @errors kInvalidArgument: a parameter is neither a number nor a pointer to numbers.
Result<ResolvedPlan> plan_of(const CompiledEntry& entry, const CompiledEntry& for_gpu,
                             const Trial& trial);

/// Fills the buffers of a plan: floats are positive and below 1, integers below the trial's number,
/// so that they are indices where the kernel takes them for some.
void fill(const ResolvedPlan& plan, const Trial& trial, const Arena& arena);

}  // namespace ws::survey
