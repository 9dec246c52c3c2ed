#include "tools/apply_transformation/apply_transformation.h"

#include "tools/answer/envelope.h"
#include "tools/apply_transformation/apply_transformation_schema.h"
#include "tools/apply_transformation/lower.h"
#include "tools/evidence/validation_job.h"
#include "tools/kernels/compile_job.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

/// Points of the parameters' space that the last pass is judged on, beside the defaults.
constexpr std::size_t kSamples = 16;
constexpr std::size_t kEmulatedSamples = 3;

constexpr StageSpan kCompileSpan{0, 0.3};
constexpr StageSpan kValidateSpan{0.3, 1};

std::vector<Json> steps_after(const Step& step, const ConcludedTry& tried) {
  const std::string& id = tried.kernel_id;
  const bool skipped = tried.verdict == Verdict::kSkipped;
  Json again = {
      {"kernel_id", id}, {"transformation", step.transformation.name}, {"pass", step.pass + 1}};
  if (!tried.applied() && !skipped) {
    return {next_step("apply_transformation", std::move(again),
                      "send corrected edits; they refer to the lines of the old kernel")};
  }
  if (step.last()) {
    std::vector<Json> steps = {
        next_step("apply_transformation", {{"kernel_id", id}}, "choose the next one")};
    if (!skipped) {
      steps.insert(steps.begin(),
                   next_step("benchmark", {{"kernel_id", id}, {"baseline", "parent"}},
                             "see what the transformation is worth"));
    }
    return steps;
  }
  again["pass"] = step.pass + 2;
  return {next_step("apply_transformation", std::move(again), "read the next pass")};
}

std::string summary_of(const Step& step, const ConcludedTry& tried) {
  if (tried.applied()) {
    return step_text(step) + " made " + tried.kernel_id;
  }
  if (tried.verdict == Verdict::kSkipped) {
    return step_text(step) + " skipped: " + tried.reason;
  }
  return step_text(step) + " failed, attempt " + std::to_string(tried.attempt) + ": " +
         quoted(tried.reason, 200);
}

}  // namespace

ApplyTransformationTool::ApplyTransformationTool(Services& services)
    : spec_(parse_spec(apply_transformation_schema())),
      services_(services) {}

Result<Try> ApplyTransformationTool::attempt(const Step& step, const Change& change, bool fresh,
                                             CallContext& context) {
  Try made;
  if (!change.refused.empty()) {
    made.verdict = Verdict::kRefused;
    made.reason = change.refused[0]["edit"].get<std::string>() + ": " +
                  change.refused[0]["reason"].get<std::string>();
    return made;
  }
  CompileParams compiled;
  compiled.common.device = step.device->id;
  compiled.common.fresh = fresh;
  compiled.choice[change.empty() ? "kernel_id" : "base"] = step.subject.kernel.id;
  if (!change.edits.is_null()) {
    compiled.choice["edits"] = change.edits;
  }
  if (!change.set.is_null()) {
    compiled.choice["set"] = change.set;
  }
  WS_TRY(const Compilation compilation, compile_kernel(services_, compiled, kCompileSpan, context));
  made.kernel_id = compilation.kernel_id;
  made.verdict = compilation.verdict;
  made.reason = reason_of(compilation, first_complaint(compilation));
  made.body["compile"] = stage_form(compilation);
  const PassCheck check = step.last() ? PassCheck::kStandard : step.spec().check;
  if (made.verdict != Verdict::kCompiled || check == PassCheck::kCompile) {
    made.verdict = made.verdict == Verdict::kCompiled ? Verdict::kPassed : made.verdict;
    return made;
  }
  ValidateParams validated;
  validated.common = compiled.common;
  validated.kernel_id = made.kernel_id;
  validated.question.level = check == PassCheck::kStandard ? "standard" : "quick";
  if (step.last()) {
    validated.question.param_samples = step.info.emulated ? kEmulatedSamples : kSamples;
  }
  WS_TRY(const StoredValidation found,
         validate_kernel_stored(services_, validated, kValidateSpan, context));
  made.verdict = found.result.verdict;
  made.reason = found.result.message;
  made.body["validation"] = stage_form(found);
  return made;
}

Result<Json> ApplyTransformationTool::apply(const Step& step, const Json& arguments,
                                            CallContext& context) {
  const Kernel& base = step.subject.kernel;
  const Change change = change_of(step, arguments);
  WS_TRY(Try made, attempt(step, change, common_params(arguments).fresh, context));
  if (made.verdict == Verdict::kPassed && made.kernel_id == base.id) {
    made.verdict = Verdict::kSkipped;
    made.reason = change.skips ? "no edits were sent" : "the edits change nothing";
  }
  WS_TRY(ConcludedTry tried,
         conclude(services_, base, change, std::move(made),
                  {.transformation = step.transformation.name,
                   .pass = static_cast<std::int64_t>(step.pass) + 1,
                   .passes = static_cast<std::int64_t>(step.transformation.passes.size())},
                  arguments));
  tried.body["transformation"] = step.transformation.name;
  tried.body["pass"] = pass_form(step);
  return finished(summary_of(step, tried), std::move(tried.body), steps_after(step, tried));
}

Result<Json> ApplyTransformationTool::lower(const Json& arguments, const CommonParams& common,
                                            CallContext& context) {
  if (arguments.contains("transformation")) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `transformation` and `target_ir`");
  }
  if (arguments.contains("problem") && arguments.contains("problem_id")) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `problem` and `problem_id`");
  }
  return run_as_job(services_, kEvaluateLane, spec_.name, join_key(arguments), common, context,
                    [this, arguments, common](CallContext& own) -> Result<Json> {
                      WS_TRY(const LowerStep step, choose_lowering(services_, arguments, own));
                      if (arguments.contains("edits") || arguments.contains("set")) {
                        return apply_lowering(services_, step, arguments, own);
                      }
                      return instruct_lowering(services_, step, common.full, own);
                    });
}

Result<Json> ApplyTransformationTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    if (arguments.contains("target_ir")) {
      return lower(arguments, common, context);
    }
    if (!arguments.contains("transformation")) {
      return list_transformations(services_, arguments);
    }
    WS_TRY(const Step step, choose_step(services_, arguments));
    if (!arguments.contains("edits") && !arguments.contains("set")) {
      return instruct(services_, step, common.full);
    }
    const std::string key = join_key(arguments, step.subject.kernel.id);
    return run_as_job(
        services_, kEvaluateLane, spec_.name, key, common, context,
        [this, step, arguments](CallContext& own) { return apply(step, arguments, own); });
  });
}

}  // namespace ws
