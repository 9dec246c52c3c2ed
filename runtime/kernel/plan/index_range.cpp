#include "runtime/kernel/plan/index_range.h"

#include <algorithm>

namespace ws {
namespace {

std::int64_t largest_of(const DimSpec& dim) {
  const std::int64_t listed = *std::max_element(dim.values.begin(), dim.values.end());
  return dim.open ? std::max(listed, dim.max / dim.multiple_of * dim.multiple_of) : listed;
}

/// All dims and scalars at their first listed value.
Workload first_of(const Problem& problem) {
  Workload first;
  for (const DimSpec& dim : problem.dims) {
    first.dims[dim.name] = dim.values.front();
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar && !arg.values.empty()) {
      first.scalars[arg.name] = arg.values.front();
    }
  }
  return first;
}

/// All dims at their largest, then each alone; the scalars at their first value.
std::vector<Workload> extremes(const Problem& problem) {
  const Workload first = first_of(problem);
  Workload all = first;
  for (const DimSpec& dim : problem.dims) {
    all.dims[dim.name] = largest_of(dim);
  }
  std::vector<Workload> found = {all};
  for (const DimSpec& dim : problem.dims) {
    found.emplace_back(first).dims[dim.name] = largest_of(dim);
  }
  return found;
}

/// Halves the largest of the open dims. @return  False: none can be.
bool halve_largest(const Problem& problem, Workload& workload) {
  const DimSpec* largest = nullptr;
  for (const DimSpec& dim : problem.dims) {
    if (dim.open &&
        (largest == nullptr || workload.dims[dim.name] > workload.dims[largest->name])) {
      largest = &dim;
    }
  }
  if (largest == nullptr) {
    return false;
  }
  std::int64_t& size = workload.dims[largest->name];
  const std::int64_t half = size / 2 / largest->multiple_of * largest->multiple_of;
  const bool smaller = half >= std::max<std::int64_t>(largest->min, 1) && half < size;
  size = smaller ? half : size;
  return smaller;
}

/// Whether a problem allows a workload and a kernel takes it.
bool is_allowed(const Problem& problem, const Kernel& kernel, const Params& params,
                const Workload& workload) {
  if (!check_workload(problem, workload)) {
    return false;
  }
  // A constraint that no workload meets is an error of cover().
  const auto covered = cover(problem, kernel, {workload}, params);
  return covered && !covered->run.empty();
}

/// `first` with one dim at `size`. @param tied  So are the others that are listed as it is.
Workload with_size(const Problem& problem, const Workload& first, const DimSpec& dim,
                   std::int64_t size, bool tied) {
  Workload workload = first;
  for (const DimSpec& other : problem.dims) {
    if (other.name == dim.name || (tied && other.open && other.values == dim.values)) {
      workload.dims[other.name] = size;
    }
  }
  return workload;
}

}  // namespace

Result<LargeArgument> largest_argument(const Problem& problem, const Workload& workload) {
  const Bindings bindings = bindings_of(problem, workload);
  LargeArgument largest;
  double bytes = 0;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      continue;
    }
    WS_TRY(const std::int64_t elements, elements_of(arg, bindings));
    bytes += static_cast<double>(elements) * static_cast<double>(size_of(arg.type));
    if (elements > largest.elements) {
      largest = {arg.name, elements, workload};
    }
  }
  largest.bytes = bytes;
  return largest;
}

Result<std::optional<LargeArgument>> untried_range(const Problem& problem, const Kernel& kernel,
                                                   const Params& params,
                                                   const std::vector<Workload>& tried,
                                                   double most_bytes) {
  for (const Workload& workload : tried) {
    WS_TRY(const LargeArgument largest, largest_argument(problem, workload));
    if (largest.elements > kIndexRange) {
      return std::optional<LargeArgument>();
    }
  }
  const auto fits = [&](const LargeArgument& argument) { return argument.bytes <= most_bytes; };
  std::optional<LargeArgument> found;
  for (Workload& workload : extremes(problem)) {
    for (bool smaller = true; smaller; smaller = halve_largest(problem, workload)) {
      WS_TRY(LargeArgument largest, largest_argument(problem, workload));
      if (largest.elements <= kIndexRange) {
        break;
      }
      const bool better = !found || fits(largest) > fits(*found) ||
                          (fits(largest) == fits(*found) && largest.elements > found->elements);
      if (better && is_allowed(problem, kernel, params, workload)) {
        found = std::move(largest);
      }
    }
  }
  return found;
}

Result<std::vector<UntriedSizes>> untried_sizes(const Problem& problem, const Kernel& kernel,
                                                const Params& params,
                                                const std::map<std::string, std::int64_t>& tried) {
  std::vector<UntriedSizes> found;
  const Workload first = first_of(problem);
  for (const DimSpec& dim : problem.dims) {
    const auto at = tried.find(dim.name);
    if (!dim.open || at == tried.end()) {
      continue;
    }
    const std::int64_t largest = at->second;
    for (std::int64_t size = largest_of(dim);
         size / kFarAbove >= std::max<std::int64_t>(largest, 1);
         size = size / 2 / dim.multiple_of * dim.multiple_of) {
      if (is_allowed(problem, kernel, params, with_size(problem, first, dim, size, false)) ||
          is_allowed(problem, kernel, params, with_size(problem, first, dim, size, true))) {
        found.push_back({dim.name, largest, size});
        break;
      }
    }
  }
  return found;
}

}  // namespace ws
