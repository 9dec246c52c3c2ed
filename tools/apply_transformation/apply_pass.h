// A try at a pass: the client's edits, compiled, judged and recorded.
#pragma once

#include "tools/answer/typed_job.h"
#include "tools/apply_transformation/conclude.h"
#include "tools/apply_transformation/step.h"

namespace ws {

struct TriedStep {
  Step step;
  ConcludedTry tried;
};

/// Tries the edits of the arguments.
/// @errors Those of compile_kernel, validate_kernel_stored and conclude.
Result<TriedStep> apply_pass(Services& services, const Step& step, const TransformParams& params,
                             CallContext& context);

/// The answer with edits.
Answer answer_of(const TriedStep& done);

}  // namespace ws
