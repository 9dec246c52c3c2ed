#include "tools/kernels/stored_id.h"

namespace ws {

Status take_stored_id(Archive& archive, Problem& problem) {
  const Result<ProblemRow> row = archive.problem(problem.id);
  if (!row) {
    return row.error().code == ErrorCode::kNotFound ? Status() : Status(fail(row.error()));
  }
  problem.id = row->id;
  return {};
}

Status take_stored_id(Archive& archive, Kernel& kernel) {
  const Result<KernelRow> row = archive.kernel(kernel.id);
  if (!row) {
    return row.error().code == ErrorCode::kNotFound ? Status() : Status(fail(row.error()));
  }
  kernel.id = row->id;
  return {};
}

}  // namespace ws
