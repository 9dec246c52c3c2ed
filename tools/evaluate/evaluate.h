// evaluate: compile, validate and benchmark in one call, with a reward.
#pragma once

#include <optional>
#include <variant>

#include "runtime/base/fair_semaphore.h"
#include "runtime/session/services.h"
#include "tools/evaluate/batch.h"
#include "tools/evaluate/question.h"

namespace ws {

/// One kernel, or many.
struct EvaluateResult {
  std::variant<Evaluation, BatchEvaluation> outcome;
};

/// The answer of the outcome.
Answer answer_of(const EvaluateResult& result);

/// Its stages are jobs that it shares with the other tools, as their stores and rules.
class EvaluateTool : public TypedJobTool<EvaluateParams, EvaluateResult> {
 public:
  explicit EvaluateTool(Services& services);

 protected:
  Result<ToolJob<EvaluateResult>> job_of(Services& services, const EvaluateParams& params,
                                         const std::stop_token& stop) override;

 private:
  Result<ToolJob<Evaluation>> one_of(const EvaluateParams& params, const std::stop_token& stop);
  Result<ToolJob<BatchEvaluation>> batch_of(const EvaluateParams& params);
  Result<std::optional<Evaluation>> answered_before(const EvaluateQuestion& question);
  Result<Evaluation> run(const EvaluateQuestion& question, CallContext& context);
  Result<Evaluation> conclude(const EvaluateQuestion& question, Evaluation evaluation);

  Services& services_;
  FairSemaphore on_device_;  ///< For a batch's kernels, from their validation to their time.
};

}  // namespace ws
