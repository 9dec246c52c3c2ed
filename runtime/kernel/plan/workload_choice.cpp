// Choosing among workloads: the smallest, those that a kernel covers, hidden neighbours.
#include <algorithm>
#include <random>

#include "runtime/kernel/plan/params.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The least size above zero: an empty workload has nothing to compare.
std::int64_t smallest_size(const DimSpec& dim) {
  return round_up(std::max<std::int64_t>(dim.min, 1), dim.multiple_of);
}

bool is_prime(std::int64_t value) {
  for (std::int64_t factor = 2; factor * factor <= value; ++factor) {
    if (value % factor == 0) {
      return false;
    }
  }
  return value > 1;
}

/// The largest prime up to `value`, or 1: a size that no tile divides.
std::int64_t prime_below(std::int64_t value) {
  constexpr std::int64_t kLargestTried = std::int64_t{1} << 24U;  // Keeps the search short.
  for (std::int64_t p = std::min(value, kLargestTried); p > 1; --p) {
    if (is_prime(p)) {
      return p;
    }
  }
  return 1;
}

/// Sizes near `value` that are unlike the listed ones: one beside it, odd, prime.
std::vector<std::int64_t> ragged_sizes(const DimSpec& dim, std::int64_t value) {
  const std::int64_t units = value / dim.multiple_of;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t unit : {units - 1, units + 1, prime_below(units - 1),
                                  prime_below(units * 2 / 3), units / 2 + 1, units * 3 / 4 | 1}) {
    const std::int64_t size = unit * dim.multiple_of;
    if (size >= smallest_size(dim) && size <= dim.max) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

bool is_listed(const Problem& problem, const Workload& workload) {
  return std::all_of(problem.dims.begin(), problem.dims.end(), [&](const DimSpec& dim) {
    const std::int64_t value = workload.dims.at(dim.name);
    return std::find(dim.values.begin(), dim.values.end(), value) != dim.values.end();
  });
}

/// Collects distinct hidden workloads.
class HiddenPicker {
 public:
  HiddenPicker(const Problem& problem, const Workload& near, std::size_t count, std::uint64_t seed)
      : problem_(problem),
        near_(near),
        count_(count),
        random_(seed) {
    for (const DimSpec& dim : problem.dims) {
      if (dim.open) {
        open_.push_back(&dim);
      }
    }
  }

  Result<std::vector<Workload>> pick() {
    if (open_.empty() || count_ == 0) {
      return found_;
    }
    WS_TRY(const std::int64_t cost, cost_of(problem_, near_));
    most_ = cost + cost / 2;
    Workload least = near_;
    for (const DimSpec* dim : open_) {
      least.dims[dim->name] = smallest_size(*dim);
    }
    WS_CHECK(add(least));
    constexpr std::size_t kTriesEach = 64;
    for (std::size_t i = 0; i < kTriesEach * count_ && found_.size() < count_; ++i) {
      WS_CHECK(add(draw(i % 2 == 1)));
    }
    return found_;
  }

 private:
  /// @param tied  Dims that are equal in `near` stay equal, as `valid` may ask ("m == n").
  Workload draw(bool tied) {
    Workload workload = near_;
    Bindings same;  // near value, as text -> drawn size
    for (const DimSpec* dim : open_) {
      const std::int64_t value = near_.dims.at(dim->name);
      const std::vector<std::int64_t> sizes = ragged_sizes(*dim, value);
      if (sizes.empty()) {
        continue;
      }
      const std::int64_t size = sizes[random_() % sizes.size()];
      workload.dims[dim->name] =
          tied ? same.try_emplace(std::to_string(value), size).first->second : size;
    }
    return workload;
  }

  Status add(const Workload& workload) {
    if (is_listed(problem_, workload) || !check_workload(problem_, workload) ||
        std::find(found_.begin(), found_.end(), workload) != found_.end()) {
      return {};
    }
    WS_TRY(const std::int64_t cost, cost_of(problem_, workload));
    if (cost <= most_) {
      found_.push_back(workload);
    }
    return {};
  }

  const Problem& problem_;
  const Workload& near_;
  std::size_t count_;
  std::mt19937_64 random_;
  std::vector<const DimSpec*> open_;
  std::int64_t most_ = 0;
  std::vector<Workload> found_;
};

}  // namespace

Result<Workload> smallest_workload(const Problem& problem, const std::vector<Workload>& workloads) {
  const Workload* best = nullptr;
  std::int64_t least = 0;
  for (const Workload& workload : workloads) {
    WS_TRY(const std::int64_t cost, cost_of(problem, workload));
    if (best == nullptr || cost < least) {
      best = &workload;
      least = cost;
    }
  }
  if (best == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "no workload to choose from");
  }
  return *best;
}

Result<std::vector<Workload>> hidden_workloads(const Problem& problem, const Workload& near,
                                               std::size_t count, std::uint64_t seed) {
  return HiddenPicker(problem, near, count, seed).pick();
}

Result<Coverage> cover(const Problem& problem, const Kernel& kernel,
                       const std::vector<Workload>& workloads, const Params& params) {
  Coverage coverage;
  for (const Workload& workload : workloads) {
    WS_TRY(std::string broken, broken_constraint(problem, kernel, workload, params));
    if (broken.empty()) {
      coverage.run.push_back(workload);
    } else {
      coverage.unsupported.push_back({workload, std::move(broken)});
    }
  }
  if (coverage.run.empty() && !coverage.unsupported.empty()) {
    const UnsupportedWorkload& first = coverage.unsupported.front();
    return fail(ErrorCode::kInvalidArgument,
                "no workload left by constraints: " + to_json_text(first.workload) + " breaks `" +
                    first.constraint + "`",
                "choose other params, or relax the constraints");
  }
  return coverage;
}

}  // namespace ws
