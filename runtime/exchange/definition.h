// A definition of FlashInfer-Bench and a problem, each as the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The field of an exported file in which the problem or the kernel stands as it is here, so that
/// an import gives it back whole. Other programs pass over it.
inline constexpr const char* kOwnField = "warpsmith";

/// The form of the problem that a definition describes. Constant axes are dims of one size; a
/// variable one has the sizes of the workloads and all below the largest. Python code in
/// `reference` becomes the problem's.
///
/// @param text       A definition as JSON; the order of its inputs and outputs counts.
/// @param workloads  {axes, inputs}: sizes of variable axes, and values of scalars.
/// @errors kInvalidArgument: it is no definition, or an axis or scalar has no value; kUnsupported:
///         what a problem cannot have. With the field's name.
/// @source docs/flashinfer-trace/definition.mdx of flashinfer-bench.
Result<nlohmann::json> problem_of_definition(std::string_view text,
                                             const std::vector<nlohmann::json>& workloads);

/// Tensors from files are somebody else's data: they are not fetched, and without them the numbers
/// of a trace say nothing about a workload here.
/// @errors kUnsupported: an input that is one; kInvalidArgument: the workload has no axes.
Status check_workload_inputs(const nlohmann::json& workload);

/// The problem of an exported definition: the one in kOwnField, if the definition is still what
/// that problem gives. @errors kConflict: it is not, with the first field that differs.
Result<Problem> problem_of_export(std::string_view text);

/// The definition of a problem. Axes of other programs are names: an extent of an input that is an
/// expression becomes an axis of its own, with a constraint.
/// @errors kUnsupported: what a definition cannot have, with the argument.
Result<nlohmann::ordered_json> definition_of(const Problem& problem);

/// {axes, inputs, uuid} of one workload of a definition that definition_of() gives.
/// @errors kInvalidArgument: an extent is no number.
Result<nlohmann::ordered_json> workload_of(const Problem& problem, const Workload& workload);

}  // namespace ws
