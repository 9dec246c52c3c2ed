#include "tools/apply_transformation/apply_pass.h"

#include <utility>

#include "tools/answer/next_steps.h"
#include "tools/evidence/shown_validation.h"
#include "tools/evidence/validation_job.h"
#include "tools/kernels/compile_job.h"

namespace ws {
namespace {

/// Points of the parameters' space that the last pass is judged on, beside the defaults.
constexpr std::size_t kSamples = 16;
constexpr std::size_t kEmulatedSamples = 3;

constexpr StageSpan kCompileSpan{0, 0.3};
constexpr StageSpan kValidateSpan{0.3, 1};

std::vector<Json> steps_after(const Step& step, const ConcludedTry& tried) {
  const std::string& id = tried.kernel_id();
  const bool skipped = tried.made.verdict == Verdict::kSkipped;
  Json again = {
      {"kernel_id", id}, {"transformation", step.transformation.name}, {"pass", step.pass + 1}};
  if (!step.arch.empty()) {
    again["arch"] = step.arch;
  }
  if (!tried.applied() && !skipped) {
    return {next_step("apply_transformation", std::move(again),
                      "send corrected edits; they refer to the lines of the old kernel")};
  }
  if (step.last()) {
    std::vector<Json> steps = {
        next_step("apply_transformation", {{"kernel_id", id}}, "choose the next one")};
    if (!skipped && !tried.made.unchecked) {
      const auto& validation = tried.made.validation;
      const bool timed = !validation || timed_there(validation->result, step.subject.kernel);
      steps.insert(steps.begin(),
                   timed ? next_step("benchmark", {{"kernel_id", id}, {"baseline", "parent"}},
                                     "see what the transformation is worth")
                         : next_step("profile", {{"kernel_id", id}},
                                     "see what it changed; this device cannot time it"));
    }
    return steps;
  }
  again["pass"] = step.pass + 2;
  return {next_step("apply_transformation", std::move(again), "read the next pass")};
}

std::string summary_of(const Step& step, const ConcludedTry& tried) {
  if (tried.applied()) {
    return step_text(step) + " made " + tried.kernel_id() +
           (tried.made.unchecked
                ? ", compiled for " + step.arch + " and not run: no device here can"
                : "");
  }
  if (tried.made.verdict == Verdict::kSkipped) {
    return step_text(step) + " skipped: " + tried.made.reason;
  }
  return step_text(step) + " failed, attempt " + std::to_string(tried.attempt) + ": " +
         quoted(tried.made.reason, 200);
}

Result<Try> attempt(Services& services, const Step& step, const Change& change, bool fresh,
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
  compiled.arch = step.arch;
  compiled.choice[change.empty() ? "kernel_id" : "base"] = step.subject.kernel.id;
  if (!change.edits.is_null()) {
    compiled.choice["edits"] = change.edits;
  }
  if (!change.set.is_null()) {
    compiled.choice["set"] = change.set;
  }
  WS_TRY(made.compilation, compile_kernel(services, compiled, kCompileSpan, context));
  made.kernel_id = made.compilation->kernel_id;
  made.verdict = made.compilation->verdict;
  made.reason = reason_of(*made.compilation, first_complaint(*made.compilation));
  const PassCheck check = step.last() ? PassCheck::kStandard : step.spec().check;
  if (made.verdict != Verdict::kCompiled || check == PassCheck::kCompile) {
    made.verdict = made.verdict == Verdict::kCompiled ? Verdict::kPassed : made.verdict;
    return made;
  }
  if (!step.arch.empty()) {
    // The device here may run it all the same, as the CPU engine does where no tensor map is used.
    compiled.arch.clear();
    compiled.choice = {{"kernel_id", made.kernel_id}};
    WS_TRY(const Compilation here, compile_kernel(services, compiled, kCompileSpan, context));
    made.unchecked = here.verdict != Verdict::kCompiled;
    if (made.unchecked) {
      made.verdict = Verdict::kPassed;
      return made;
    }
  }
  ValidateParams validated;
  validated.common = compiled.common;
  validated.kernel_id = made.kernel_id;
  validated.question.level = check == PassCheck::kStandard ? "standard" : "quick";
  if (step.last()) {
    const bool emulated = step.info.emulated || !step.arch.empty();
    validated.question.param_samples = emulated ? kEmulatedSamples : kSamples;
  }
  WS_TRY(made.validation, validate_kernel_stored(services, validated, kValidateSpan, context));
  made.verdict = made.validation->result.verdict;
  made.reason = made.validation->result.message;
  return made;
}

}  // namespace

Result<TriedStep> apply_pass(Services& services, const Step& step, const TransformParams& params,
                             CallContext& context) {
  const Kernel& base = step.subject.kernel;
  const Change change = change_of(step, params);
  WS_TRY(Try made, attempt(services, step, change, params.common.fresh, context));
  if (made.verdict == Verdict::kPassed && made.kernel_id == base.id) {
    made.verdict = Verdict::kSkipped;
    made.reason = change.skips ? "no edits were sent" : "the edits change nothing";
  }
  WS_TRY(ConcludedTry tried,
         conclude(services, base, change, std::move(made),
                  {.transformation = step.transformation.name,
                   .pass = static_cast<std::int64_t>(step.pass) + 1,
                   .passes = static_cast<std::int64_t>(step.transformation.passes.size())},
                  params.ref));
  return TriedStep{.step = step, .tried = std::move(tried)};
}

Answer answer_of(const TriedStep& done) {
  Json body = form_of(done.tried);
  body["transformation"] = done.step.transformation.name;
  body["pass"] = pass_form(done.step);
  return {.summary = summary_of(done.step, done.tried),
          .body = std::move(body),
          .next_steps = steps_after(done.step, done.tried)};
}

}  // namespace ws
