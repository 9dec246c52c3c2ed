// apply_transformation: a kernel through a named transformation, one judged pass at a time.
#pragma once

#include <variant>

#include "tools/answer/typed_job.h"
#include "tools/apply_transformation/apply_pass.h"
#include "tools/apply_transformation/instruct.h"
#include "tools/apply_transformation/listing.h"
#include "tools/apply_transformation/lower.h"

namespace ws {

/// The arguments decide which: a list, an instruction, or a try, of a pass or of a lowering.
struct TransformationResult {
  std::variant<TransformationList, PassInstruction, TriedStep, LoweringInstruction, TriedLowering>
      outcome;
};

/// The answer of the outcome.
Answer answer_of(const TransformationResult& result);

/// Its stages are jobs that it shares with the other tools, as their stores and rules.
class ApplyTransformationTool : public TypedJobTool<TransformParams, TransformationResult> {
 public:
  explicit ApplyTransformationTool(Services& services);

 protected:
  Result<ToolJob<TransformationResult>> job_of(Services& services, const TransformParams& params,
                                               const std::stop_token& stop) override;
};

}  // namespace ws
