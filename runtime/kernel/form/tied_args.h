// Arguments that refer to each other: the parts of a sparse matrix, and outputs without order.
#pragma once

#include "runtime/base/result.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Checks an argument that is a part of a sparse matrix in CSR form. What its sizes must meet is
/// added to `problem.valid`, so that no workload has more values than the matrix has places.
///
/// @param form     The argument's. @param problem  All of its arguments have been read.
/// @errors kInvalidArgument: a part is missing or has the wrong form.
Status check_sparse_fill(const JsonReader& form, const ArgSpec& arg, Problem& problem);

/// Checks the outputs that an output without order names. @errors kInvalidArgument.
Status check_unordered(const JsonReader& form, const ArgSpec& arg, const Problem& problem);

}  // namespace ws
