#include "runtime/evaluate/binding/binding.h"

#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

Result<Workload> other_workload(const Binding& binding, const Problem& own, const Problem& other,
                                const Workload& workload) {
  const Bindings sizes = bindings_of(own, workload);
  Workload made;
  for (const DimSpec& dim : other.dims) {
    WS_TRY(made.dims[dim.name], eval_expr(binding.dims.at(dim.name), sizes));
  }
  for (const BoundArg& arg : binding.args) {
    if (const auto scalar = workload.scalars.find(arg.own); scalar != workload.scalars.end()) {
      made.scalars[arg.other] = scalar->second + static_cast<double>(arg.add);
    }
  }
  return made;
}

bool takes(const Problem& other, const Kernel& kernel, const Workload& workload) {
  return check_workload(other, workload) && cover(other, kernel, {workload}, kernel.defaults);
}

}  // namespace ws
