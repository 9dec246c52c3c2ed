// The subject of a tool: a kernel of a problem, with chosen parameters, from the archive.
#pragma once

#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"

namespace ws {

struct Subject {
  Problem problem;
  Kernel kernel;
};

/// @errors kNotFound: unknown id or ref.
Result<Subject> load_subject(Archive& archive, const std::string& kernel_id_or_ref);
Result<Problem> load_problem(Archive& archive, const std::string& problem_id);

/// The cheapest workload that the kernel's constraints allow: what a compile is tried with.
/// @errors kInvalidArgument: they allow none.
Result<Workload> compile_workload(const Subject& subject, const Params& params);

}  // namespace ws
