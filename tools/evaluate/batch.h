// Many kernels of one problem, evaluated as fast as compilers and device allow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/evaluate/evaluation.h"

namespace ws {

/// Evaluates one kernel to its end. Several threads at once.
using EvaluateOne =
    std::function<Result<Evaluation>(const EvaluateParams& params, const CallContext& context)>;

/// One kernel of a batch.
struct BatchRow {
  std::size_t index = 0;           ///< The kernel's place in the batch.
  std::string kernel_id;           ///< Empty for one that could not be evaluated.
  std::optional<Verdict> verdict;  ///< Nothing for one that could not be evaluated.
  std::optional<Error> error;      ///< Why it could not.
  std::optional<double> reward;    ///< 0 for an error that is the kernel's fault.
  std::optional<double> speedup;
  std::string evidence_id;

  /// The kernel was right whenever it was timed.
  [[nodiscard]] bool valid() const { return verdict && facts_of(*verdict).right_when_timed; }
};

/// {index, kernel_id, verdict, reward, speedup, evidence_id}; {index, verdict: the error's word,
/// reward, speedup, message} for one that could not be evaluated.
void to_json(Json& form, const BatchRow& row);

/// One row per kernel, in the order sent. Each is reported as a result when it is there, with
/// {kernels_done, kernels_total, valid, results: the best so far} as what there is of the whole.
///
/// @param at_once  Evaluations in progress at a time: a device's lane takes one after the other,
///                 the rest compile ahead.
/// @errors kCancelled.
Result<std::vector<BatchRow>> evaluate_all(const std::vector<EvaluateParams>& kernels,
                                           std::size_t at_once, const EvaluateOne& one,
                                           CallContext& context);

struct BatchEvaluation {
  std::vector<BatchRow> rows;  ///< In the order sent.
  bool full = false;           ///< detail: full
};

/// Counts, the best kernel, and rows: all of them with detail full, else the best few, with what
/// was left out and how to get it.
Answer answer_of(const BatchEvaluation& batch);

}  // namespace ws
