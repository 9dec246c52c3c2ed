#include "tools/apply_transformation/lower.h"

#include "runtime/evaluate/validate/reference.h"
#include "runtime/kernel/form/forms.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/kernels/stored_id.h"

namespace ws {
namespace {

/// A program that is run in place of the kernel's reference has to say everything.
Status whole(const Lifting& lifting) {
  if (lifting.verdict != CompileVerdict::kCompiled) {
    return fail(ErrorCode::kInvalidArgument, "the kernel does not compile: " + lifting.message,
                "fix it by compile_kernel first");
  }
  if (lifting.program.whole()) {
    return {};
  }
  return fail(
      ErrorCode::kUnsupported,
      "the kernel is not lifted completely: " + why_not_whole(lifting.program),
      "lift_to_ir lists the statements that cannot be lifted; change them by compile_kernel first");
}

Result<Problem> problem_for(Services& services, const LowerStep& step,
                            const TransformParams& params, const std::stop_token& stop) {
  if (params.problem_id) {
    return load_problem(*services.archive, *params.problem_id);
  }
  if (!params.problem.is_null()) {
    return new_problem(services, params.problem, stop);
  }
  if (step.lowering.arguments) {
    return fail(ErrorCode::kInvalidArgument,
                "`target_ir` has arguments that " + step.subject.problem.id + " does not give",
                "send a `problem` that has them, or name one by `problem_id`");
  }
  Json form = Json::parse(step.subject.problem.json, nullptr, false);
  form["reference"] = {{"kind", "cuir"}, {"source", step.lowering.target}};
  // The program has the sizes in it that are compiled into the kernel.
  WS_TRY(const Workload lifted, compile_workload(step.subject, step.params));
  for (const std::string& dim : step.subject.kernel.specialize) {
    form["dims"][dim] = Json::array({lifted.dims.at(dim)});
  }
  WS_TRY(Problem problem, problem_from_json(form));
  WS_CHECK(take_stored_id(*services.archive, problem));
  return problem;
}

}  // namespace

std::string why_not_whole(const lift::Program& program) {
  const auto text = [](const auto& part) {
    return "line " + std::to_string(part.range.line) + ": " + ws::quoted(part.why);
  };
  if (!program.not_lifted.empty()) {
    return text(program.not_lifted.front());
  }
  return program.holes.empty() ? "nothing of it is lifted" : text(program.holes.front());
}

Result<LowerStep> choose_lowering(Services& services, const TransformParams& params,
                                  const CallContext& context) {
  const std::string target = params.target_ir.value_or("");
  LowerStep step;
  WS_TRY(step.device, services.device(params.common.device));
  WS_TRY(Backend* const compiler, services.compiler_for(*step.device, params.arch));
  step.arch = compiler == step.device->backend.get() ? "" : params.arch;
  WS_TRY(step.subject, load_subject(*services.archive, params.kernel_id));
  LiftChoice choice;
  step.params = step.subject.kernel.defaults;
  choice.params = step.params;
  WS_TRY(step.lifting, lift_kernel(services, step.subject, choice, context.stop));
  WS_CHECK(whole(step.lifting));
  WS_TRY(step.lowering, lift::plan_lowering(step.lifting.program.ir, target, step.lifting.tree,
                                            step.lifting.tree.entries.front()));
  if (step.lowering.changes_nothing()) {
    return fail(ErrorCode::kInvalidArgument, "`target_ir` is the lifted program, unchanged",
                "change the computation, then send it again");
  }
  WS_CHECK(keep_structure(services, step, target, context));
  WS_TRY(step.problem, problem_for(services, step, params, context.stop));
  WS_CHECK(check_host_reference(*services.host_workers, step.problem, context.stop));
  return step;
}

}  // namespace ws
