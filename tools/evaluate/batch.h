// Many kernels of one problem, evaluated as fast as compilers and device allow.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/answer/envelope.h"
#include "tools/tool.h"

namespace ws {

/// Evaluates one kernel to its end. Several threads at once.
using EvaluateOne = std::function<Result<Json>(const Json& arguments, CallContext& context)>;

/// One row per kernel, in the order sent: {index, kernel_id, verdict, reward, speedup,
/// evidence_id}, or {index, verdict: the error's word, reward, message} for one that cannot be
/// evaluated: 0 where the kernel is at fault, else null. Each row is reported as a result when it
/// is there, with {kernels_done, kernels_total, valid, results: the best so far} as what there is
/// of the whole.
///
/// @param at_once  Evaluations on their way at a time: a device's lane takes one after the other,
///                 the rest compile ahead.
/// @errors kCancelled.
Result<std::vector<Json>> evaluate_all(const std::vector<Json>& arguments, std::size_t at_once,
                                       const EvaluateOne& one, CallContext& context);

/// The tool's answer: counts, the best kernel, and rows: all of them where `full`, else the best
/// few, with what was left out and how to get it.
Json batch_answer(const std::vector<Json>& rows, bool full);

}  // namespace ws
