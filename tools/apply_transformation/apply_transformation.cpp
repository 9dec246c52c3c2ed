#include "tools/apply_transformation/apply_transformation.h"

#include <utility>

#include "tools/apply_transformation/apply_transformation_schema.h"

namespace ws {
namespace {

/// A transformation keeps the kernel's problem; only the target of a lowering has one of its own.
Status check_no_problem(const TransformParams& params) {
  if (params.problem.is_null() && !params.problem_id) {
    return {};
  }
  const std::string field = params.problem.is_null() ? "problem_id" : "problem";
  return fail(ErrorCode::kInvalidArgument,
              "`" + field + "` goes with `target_ir`: a transformation keeps its kernel's problem",
              "leave it out, or store a kernel of that problem by compile_kernel first");
}

Status check_lowering(const TransformParams& params) {
  if (params.transformation) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `transformation` and `target_ir`");
  }
  if (!params.problem.is_null() && params.problem_id) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `problem` and `problem_id`");
  }
  return {};
}

Result<TransformationResult> lower(Services& services, const TransformParams& params,
                                   CallContext& context) {
  WS_TRY(LowerStep step, choose_lowering(services, params, context));
  if (params.tries()) {
    WS_TRY(TriedLowering tried, apply_lowering(services, std::move(step), params, context));
    return TransformationResult{std::move(tried)};
  }
  WS_TRY(LoweringInstruction instruction,
         instruct_lowering(services, std::move(step), params.common.full, context));
  return TransformationResult{std::move(instruction)};
}

}  // namespace

Answer answer_of(const TransformationResult& result) {
  return std::visit([](const auto& outcome) { return answer_of(outcome); }, result.outcome);
}

ApplyTransformationTool::ApplyTransformationTool(Services& services)
    : TypedJobTool(apply_transformation_schema(), services) {}

Result<ToolJob<TransformationResult>> ApplyTransformationTool::job_of(
    Services& services, const TransformParams& params, const std::stop_token& /*stop*/) {
  ToolJob<TransformationResult> job;
  job.start = {.lanes = {kEvaluateLane},
               .tool = spec().name,
               .key = join_key(*params.common.asked),
               .common = params.common};
  if (params.target_ir) {
    WS_CHECK(check_lowering(params));
    job.work = [&services, params](CallContext& own) { return lower(services, params, own); };
    return job;
  }
  WS_CHECK(check_no_problem(params));
  if (!params.transformation) {
    WS_TRY(TransformationList list, list_transformations(services, params));
    job.known = TransformationResult{std::move(list)};
    return job;
  }
  WS_TRY(Step step, choose_step(services, params));
  if (!params.tries()) {
    WS_TRY(PassInstruction instruction, instruct(services, std::move(step), params.common.full));
    job.known = TransformationResult{std::move(instruction)};
    return job;
  }
  job.start.key = join_key(*params.common.asked, step.subject.kernel.id);
  job.work = [&services, params, step](CallContext& own) -> Result<TransformationResult> {
    WS_TRY(TriedStep tried, apply_pass(services, step, params, own));
    return TransformationResult{std::move(tried)};
  };
  return job;
}

}  // namespace ws
