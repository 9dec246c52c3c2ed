// Rule R2: checks that the steps of two outlines of one method are the same.
#pragma once

#include <vector>

#include "runtime/ir/diff/align.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/diff/outline.h"

namespace ws::ir {

struct StepComparison {
  std::vector<bool> source_kept;  ///< By step.
  std::vector<bool> target_kept;
  std::vector<Breach> breaches;
};

/// Steps of the target that are allowed as additions are no breach. `rows`: which rows of both are
/// equal. @errors as align_texts().
Result<StepComparison> compare_steps(const Outline& source, const Outline& target,
                                     const Pairs& rows);

}  // namespace ws::ir
