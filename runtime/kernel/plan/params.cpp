#include "runtime/kernel/plan/params.h"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "runtime/base/nearest.h"
#include "runtime/kernel/expr/conditions.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

std::string list_values(const std::vector<std::int64_t>& values) {
  constexpr std::size_t kMaxShown = 16;
  std::string text = "values: ";
  for (std::size_t i = 0; i < values.size() && i < kMaxShown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  }
  return values.size() > kMaxShown ? text + ", ..." : text;
}

std::vector<std::string> names_of(const Kernel& kernel) {
  std::vector<std::string> names;
  names.reserve(kernel.params.size());
  for (const auto& [name, values] : kernel.params) {
    names.push_back(name);
  }
  return names;
}

/// Tells whether a point holds on every workload.
class PointFilter {
 public:
  static Result<PointFilter> make(const Problem& problem, const Kernel& kernel,
                                  const std::vector<Workload>& workloads) {
    PointFilter filter;
    WS_TRY(filter.constraints_, Conditions::parse(kernel.constraints, "constraints"));
    for (const Workload& workload : workloads) {
      filter.bindings_.push_back(bindings_of(problem, workload));
    }
    return filter;
  }

  Result<bool> holds(const Params& point) {
    for (Bindings& bindings : bindings_) {
      for (const auto& [name, value] : point) {
        bindings[name] = value;
      }
      WS_TRY(const std::string broken, constraints_.broken(bindings));
      if (!broken.empty()) {
        return false;
      }
    }
    return true;
  }

 private:
  Conditions constraints_;
  std::vector<Bindings> bindings_;
};

/// The point with this number, the last parameter varying fastest.
Params point_at(const Kernel& kernel, std::uint64_t index) {
  Params point;
  for (auto it = kernel.params.rbegin(); it != kernel.params.rend(); ++it) {
    const auto& [name, values] = *it;
    point[name] = values[index % values.size()];
    index /= values.size();
  }
  return point;
}

}  // namespace

Result<Params> choose_params(const Kernel& kernel, const Params& requested) {
  Params params = kernel.defaults;
  for (const auto& [name, value] : requested) {
    const auto found = kernel.params.find(name);
    if (found == kernel.params.end()) {
      return fail(ErrorCode::kInvalidArgument, "params: the kernel has no parameter `" + name + "`",
                  suggest(name, names_of(kernel)));
    }
    const std::vector<std::int64_t>& values = found->second;
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      return fail(
          ErrorCode::kInvalidArgument,
          "params." + name + ": " + std::to_string(value) + " is not one of the parameter's values",
          list_values(values));
    }
    params[name] = value;
  }
  return params;
}

Result<std::string> broken_constraint(const Problem& problem, const Kernel& kernel,
                                      const Workload& workload, const Params& params) {
  WS_TRY(const Conditions constraints, Conditions::parse(kernel.constraints, "constraints"));
  return constraints.broken(bindings_of(problem, workload, params));
}

std::int64_t count_points(const Kernel& kernel) {
  std::int64_t count = 1;
  for (const auto& [name, values] : kernel.params) {
    if (__builtin_mul_overflow(count, static_cast<std::int64_t>(values.size()), &count)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return count;
}

Result<std::vector<Params>> valid_points(const Problem& problem, const Kernel& kernel,
                                         const std::vector<Workload>& workloads) {
  const auto count = static_cast<std::uint64_t>(count_points(kernel));
  if (count > kMaxEnumeratedPoints) {
    return fail(ErrorCode::kInvalidArgument,
                "the parameters span " + std::to_string(count) + " points: at most " +
                    std::to_string(kMaxEnumeratedPoints) + " can be listed",
                "list fewer values, or sample");
  }
  WS_TRY(PointFilter filter, PointFilter::make(problem, kernel, workloads));
  std::vector<Params> points;
  for (std::uint64_t i = 0; i < count; ++i) {
    Params point = point_at(kernel, i);
    WS_TRY(const bool holds, filter.holds(point));
    if (holds) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

Result<std::vector<Params>> sample_points(const Problem& problem, const Kernel& kernel,
                                          const std::vector<Workload>& workloads, std::size_t count,
                                          std::uint64_t seed) {
  // Modulo instead of a distribution: the standard fixes the generator's output, not theirs.
  std::mt19937_64 random(seed);
  std::vector<Params> points;
  const auto space = static_cast<std::uint64_t>(count_points(kernel));
  if (space <= kMaxEnumeratedPoints) {
    WS_TRY(points, valid_points(problem, kernel, workloads));
    points.erase(std::remove(points.begin(), points.end(), kernel.defaults), points.end());
    for (std::size_t i = 0; i < std::min(count, points.size()); ++i) {
      std::swap(points[i], points[i + random() % (points.size() - i)]);
    }
    points.resize(std::min(count, points.size()));
    return points;
  }
  WS_TRY(PointFilter filter, PointFilter::make(problem, kernel, workloads));
  std::set<Params> seen = {kernel.defaults};
  for (std::size_t tries = 0; tries < kMaxEnumeratedPoints && points.size() < count; ++tries) {
    Params point;
    for (const auto& [name, values] : kernel.params) {
      point[name] = values[random() % values.size()];
    }
    WS_TRY(const bool holds, filter.holds(point));
    if (holds && seen.insert(point).second) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace ws
