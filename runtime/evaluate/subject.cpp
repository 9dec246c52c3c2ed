#include "runtime/evaluate/subject.h"

#include "runtime/kernel/form/forms.h"

namespace ws {

Result<Problem> load_problem(Archive& archive, const std::string& problem_id) {
  WS_TRY(const ProblemRow row, archive.problem(problem_id));
  WS_TRY(Problem problem, parse_problem(row.json));
  problem.id = row.id;
  return problem;
}

Result<Subject> load_subject(Archive& archive, const std::string& kernel_id_or_ref) {
  WS_TRY(const KernelRow row, archive.kernel(kernel_id_or_ref));
  Subject subject;
  WS_TRY(subject.problem, load_problem(archive, row.problem_id));
  WS_TRY(subject.kernel, parse_kernel(row.json, subject.problem));
  subject.kernel.id = row.id;
  subject.kernel.parent = row.parent;
  return subject;
}

Result<Workload> compile_workload(const Subject& subject, const Params& params) {
  WS_TRY(const std::vector<Workload> all, expand_workloads(subject.problem));
  WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, all, params));
  return smallest_workload(subject.problem, coverage.run);
}

}  // namespace ws
