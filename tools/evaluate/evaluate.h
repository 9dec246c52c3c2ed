// evaluate: compile, validate and benchmark in one call, and what the result is worth.
#pragma once

#include "runtime/base/fair_semaphore.h"
#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws {

/// Its stages are the other tools' own calls, so that they share their jobs, stores and rules.
class EvaluateTool : public Tool {
 public:
  /// The tools compile_kernel, validate and benchmark; they outlive this one.
  struct Stages {
    Tool& compile;
    Tool& validate;
    Tool& benchmark;
  };

  EvaluateTool(Services& services, Stages stages);

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }

  Result<Json> call(const Json& arguments, CallContext& context) override;

 private:
  struct Question;

  Result<Question> question_of(const Json& arguments, const std::stop_token& stop);
  Result<Json> one(const Json& arguments, CallContext& context);
  Result<Json> many(const Json& arguments, CallContext& context);
  Result<std::optional<Json>> answered_before(const Question& question);
  Result<Json> run(const Question& question, CallContext& context);
  Result<Json> conclude(const Question& question, Json body);

  ToolSpec spec_;
  Services& services_;
  const Stages stages_;
  FairSemaphore on_device_;  ///< For a batch's kernels, from their validation to their time.
};

}  // namespace ws
