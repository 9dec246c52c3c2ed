// The host's part of a kernel as C++: sizes, memory and launches from dims, by the plan's own
// expressions. The text stands behind text/numbers.cuh and text/launch.cuh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/handover/proof.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// `struct Arguments` (dims, buffers and numbers of a problem), `struct Layouts` and `layouts()`.
/// Needs text/numbers.cuh only. @errors kInvalidArgument: an expression.
Result<std::string> arguments_text(const Problem& problem);

/// `check_sizes()`, which refuses what is outside the ranges, and what `valid` and the kernel's
/// constraints exclude. Needs text/numbers.cuh only. @errors as arguments_text.
Result<std::string> sizes_text(const Problem& problem, const Kernel& kernel, const Params& params,
                               const std::vector<DimRange>& ranges);

/// Lines for the end of the device code: its entries, and a function for each symbol, by names that
/// begin with `who`.
std::string entries_text(const RenderedSource& source, const Kernel& kernel,
                         const std::string& who);

/// `run_<who>()`: scratch, symbols, tensor maps and all launches on a stream.
/// @param space  The namespace of the device code, or empty. @errors as arguments_text.
Result<std::string> run_text(const Problem& problem, const Kernel& kernel, const Workload& workload,
                             const Params& params, const std::string& who, std::string_view space);

}  // namespace ws
