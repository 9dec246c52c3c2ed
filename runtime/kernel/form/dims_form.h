// The parts of a problem's form: dims, arguments, tolerances.
#pragma once

#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Reads `dims` of a problem, in name order: [values], {values, min, max, multiple_of} or {range:
/// [low, high, step]}, where `high` is a value when the steps meet it. Without `dims`, the integer
/// fields of `workloads` that are no arguments are dims with the values that occur there.
/// @errors kInvalidArgument.
Result<std::vector<DimSpec>> read_dims(const JsonReader& problem);

/// Reads one item of `args`; shapes and strides are expressions over `dims`.
///
/// `fill` is read as kind and numbers: which kinds and parameters there are is the judge's table.
/// @errors kInvalidArgument.
Result<ArgSpec> read_arg_spec(const JsonReader& form, const Names& dims);

/// {rtol, atol}, each at least 0. @errors kInvalidArgument.
Result<Tolerance> read_tolerance(const JsonReader& form);

}  // namespace ws
