// evaluate: compile, validate and benchmark in one call, with a reward.
#pragma once

#include "runtime/base/fair_semaphore.h"
#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/evaluate/batch.h"
#include "tools/tool.h"

namespace ws {

/// Its stages are jobs that it shares with the other tools, as their stores and rules.
class EvaluateTool : public Tool {
 public:
  explicit EvaluateTool(Services& services);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  struct Question;

  Result<Question> question_of(const EvaluateParams& params, const std::stop_token& stop);
  Result<ToolJob<Evaluation>> job_of(const EvaluateParams& params, const std::stop_token& stop);
  Result<ToolJob<BatchEvaluation>> batch_of(const EvaluateParams& params);
  Result<std::optional<Evaluation>> answered_before(const Question& question);
  Result<Evaluation> run(const Question& question, CallContext& context);
  Result<Evaluation> conclude(const Question& question, Evaluation evaluation);

  ToolSpec spec_;
  Services& services_;
  FairSemaphore on_device_;  ///< For a batch's kernels, from their validation to their time.
};

}  // namespace ws
