#include "tools/compile_kernel/compile_kernel.h"

#include <utility>

#include "tools/answer/next_steps.h"
#include "tools/compile_kernel/compile_kernel_schema.h"
#include "tools/kernels/imported_problem.h"
#include "tools/kernels/kernel_choice.h"

namespace ws {
namespace {

/// Whether only a module is sent: the caller wants to know its problem before writing a kernel.
bool is_module_alone(const Json& choice) {
  const bool kernel =
      choice.contains("kernel") || choice.contains("kernel_id") || choice.contains("base");
  return !kernel && choice.contains("problem") && is_module(choice["problem"]);
}

Result<RegisteredProblem> register_module(Services& services, const Json& form, CallContext& own) {
  own.report(0, "running the module");
  WS_TRY(const ImportedForm imported, import_problem(services, form, own.stop));
  own.report(0.6, "checking the problem");
  WS_TRY(const Problem problem, new_problem(services, imported.form, own.stop));
  WS_CHECK(services.archive->put_problem(
      {.id = problem.id, .name = problem.name, .json = problem.json, .created_at = {}}));
  return RegisteredProblem{.problem_id = problem.id,
                           .dims = imported.form["dims"],
                           .args = imported.form["args"],
                           .flops = imported.form.value("flops", Json()),
                           .notes = imported.notes};
}

Answer answer_of(const RegisteredProblem& made) {
  Json body = {{"verdict", name_of(Verdict::kImported)},
               {"problem_id", made.problem_id},
               {"dims", made.dims},
               {"args", made.args},
               {"flops", made.flops},
               {"notes", Json::array()},
               {"links", {{{"rel", "problem"}, {"uri", "problem://" + made.problem_id}}}}};
  for (const std::string& note : made.notes) {
    body["notes"].push_back(quoted(note));
  }
  return {.summary = made.problem_id +
                     " is the problem of the module: " + std::to_string(made.args.size()) +
                     " arguments, " + std::to_string(made.dims.size()) + " dims",
          .body = std::move(body),
          .next_steps = {advice("compile_kernel with this problem_id, and a kernel for `args`")}};
}

}  // namespace

Answer answer_of(const CompileResult& result) {
  return std::visit([](const auto& outcome) { return answer_of(outcome); }, result.outcome);
}

CompileKernelTool::CompileKernelTool(Services& services)
    : TypedJobTool(compile_kernel_schema(), services) {}

Result<ToolJob<CompileResult>> CompileKernelTool::job_of(Services& services,
                                                         const CompileParams& params,
                                                         const std::stop_token& stop) {
  ToolJob<CompileResult> job;
  if (is_module_alone(params.choice)) {
    job.start = {.lanes = {kCompileLane},
                 .tool = spec().name,
                 .key = join_key(params.choice),
                 .common = params.common};
    job.work = [&services, params](CallContext& own) -> Result<CompileResult> {
      WS_TRY(RegisteredProblem made, register_module(services, params.choice["problem"], own));
      return CompileResult{std::move(made)};
    };
    return job;
  }
  WS_TRY(ToolJob<Compilation> compile, compile_job(services, params, stop));
  job.start = std::move(compile.start);
  job.work = [work = std::move(compile.work)](CallContext& own) -> Result<CompileResult> {
    WS_TRY(Compilation compilation, work(own));
    return CompileResult{std::move(compilation)};
  };
  return job;
}

}  // namespace ws
