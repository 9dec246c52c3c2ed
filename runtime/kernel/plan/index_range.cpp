#include "runtime/kernel/plan/index_range.h"

#include <algorithm>

namespace ws {
namespace {

std::int64_t largest_of(const DimSpec& dim) {
  const std::int64_t listed = *std::max_element(dim.values.begin(), dim.values.end());
  return dim.open ? std::max(listed, dim.max / dim.multiple_of * dim.multiple_of) : listed;
}

/// All dims at their largest, then each alone; the scalars at their first value.
std::vector<Workload> extremes(const Problem& problem) {
  Workload first;
  Workload all;
  for (const DimSpec& dim : problem.dims) {
    first.dims[dim.name] = dim.values.front();
    all.dims[dim.name] = largest_of(dim);
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar && !arg.values.empty()) {
      first.scalars[arg.name] = all.scalars[arg.name] = arg.values.front();
    }
  }
  std::vector<Workload> found = {all};
  for (const DimSpec& dim : problem.dims) {
    found.emplace_back(first).dims[dim.name] = largest_of(dim);
  }
  return found;
}

}  // namespace

Result<LargeArgument> largest_argument(const Problem& problem, const Workload& workload) {
  const Bindings bindings = bindings_of(problem, workload);
  LargeArgument largest;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      continue;
    }
    WS_TRY(const std::int64_t elements, elements_of(arg, bindings));
    if (elements > largest.elements) {
      largest = {arg.name, elements};
    }
  }
  return largest;
}

Result<std::optional<LargeArgument>> untried_range(const Problem& problem, const Kernel& kernel,
                                                   const Params& params,
                                                   const std::vector<Workload>& tried) {
  for (const Workload& workload : tried) {
    WS_TRY(const LargeArgument largest, largest_argument(problem, workload));
    if (largest.elements > kIndexRange) {
      return std::optional<LargeArgument>();
    }
  }
  std::optional<LargeArgument> found;
  for (const Workload& workload : extremes(problem)) {
    if (!check_workload(problem, workload)) {
      continue;
    }
    WS_TRY(LargeArgument largest, largest_argument(problem, workload));
    if (largest.elements <= kIndexRange || (found && largest.elements <= found->elements)) {
      continue;
    }
    // A constraint that no workload meets is an error of cover().
    const auto covered = cover(problem, kernel, {workload}, params);
    if (covered && !covered->run.empty()) {
      found = std::move(largest);
    }
  }
  return found;
}

}  // namespace ws
