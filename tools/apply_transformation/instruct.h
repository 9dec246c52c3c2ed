// The instruction for a pass: what to do, and where.
#pragma once

#include <vector>

#include "tools/answer/typed_job.h"
#include "tools/apply_transformation/step.h"

namespace ws {

struct PassInstruction {
  Step step;
  /// How tries at the passes of its transformation ended so far, on all kernels.
  std::vector<PassStatistic> statistics;
  bool full = false;  ///< All lines, however many.
};

/// @errors kIo: the archive cannot be read.
Result<PassInstruction> instruct(Services& services, Step step, bool full);

/// The answer without edits.
Answer answer_of(const PassInstruction& instruction);

}  // namespace ws
