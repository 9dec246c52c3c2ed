#include "tools/verify_ir/workloads.h"

#include <algorithm>
#include <array>
#include <random>

#include "runtime/kernel/plan/executor_cost.h"
#include "runtime/kernel/plan/params.h"

namespace ws {
namespace {

/// In the units of cost_of: some seconds for the default schedules on two cores.
constexpr std::int64_t kSmallCost = 40'000'000;
/// In those of executor_cost_of: a second for one schedule with values and the others without.
constexpr std::int64_t kOtherCost = 20'000'000;
constexpr std::size_t kMostOthers = 8;
constexpr std::size_t kHidden = 3;
/// A large size is so many times the small one, and some more: no multiple of 2, 3 or 4 stages.
constexpr std::array<std::int64_t, 4> kTimes = {7, 5, 3, 2};

class Chooser {
 public:
  Chooser(const Problem& problem, const Kernel& kernel, const Workload& small, std::uint64_t seed)
      : problem_(problem),
        kernel_(kernel),
        small_(small),
        seed_(seed),
        random_(seed) {}

  Result<std::vector<Workload>> choose() {
    WS_TRY(const std::vector<Workload> hidden,
           hidden_workloads(problem_, {small_}, kHidden, seed_));
    if (!hidden.empty()) {
      WS_CHECK(add(hidden.front()));
    }
    for (const DimSpec& dim : problem_.dims) {
      WS_CHECK(add_largest(small_, [&](const DimSpec& each) { return each.name == dim.name; }));
    }
    for (const Workload& workload : hidden) {
      WS_CHECK(add(workload));
    }
    for (const DimSpec& dim : problem_.dims) {
      Workload least = small_;
      least.dims.at(dim.name) = least_size(dim);
      WS_CHECK(add_largest(least, [&](const DimSpec& each) { return each.name != dim.name; }));
    }
    return std::move(chosen_);
  }

 private:
  /// How the sizes of large dims are drawn.
  struct Large {
    std::int64_t times = 1;  ///< So many times the small size,
    bool ragged = true;      ///< and some more.
    bool together = false;   ///< Dims that are equal in the small workload stay equal.
  };

  /// `base` with some dims as large as is cheap: ragged where the kernel's constraints allow it,
  /// and together where the problem wants dims to be equal.
  template <typename IsLarge>
  Status add_largest(const Workload& base, const IsLarge& is_large) {
    const std::size_t before = chosen_.size();
    for (const bool ragged : {true, false}) {
      for (const bool together : {false, true}) {
        for (const std::int64_t times : kTimes) {
          WS_CHECK(add(with_large(base, is_large, {times, ragged, together})));
          if (chosen_.size() > before) {
            return {};
          }
        }
      }
    }
    return {};
  }

  template <typename IsLarge>
  Workload with_large(Workload workload, const IsLarge& is_large, const Large& how) {
    const std::uint64_t shared = random_();
    for (const DimSpec& dim : problem_.dims) {
      const bool large = std::ranges::any_of(problem_.dims, [&](const DimSpec& other) {
        return is_large(other) &&
               (other.name == dim.name ||
                (how.together && small_.dims.at(other.name) == small_.dims.at(dim.name)));
      });
      if (large) {
        const std::uint64_t drawn = how.together ? shared : random_();
        workload.dims.at(dim.name) = large_size(dim, how.times, how.ragged ? drawn : 0);
      }
    }
    return workload;
  }

  static std::int64_t least_size(const DimSpec& dim) {
    if (!dim.open) {
      return *std::ranges::min_element(dim.values);
    }
    const std::int64_t least = std::max<std::int64_t>(dim.min, 1);
    return (least + dim.multiple_of - 1) / dim.multiple_of * dim.multiple_of;
  }

  /// @param drawn  Says how much more than a multiple of the small size; 0: none.
  /// @return       The small size where there is no larger one.
  [[nodiscard]] std::int64_t large_size(const DimSpec& dim, std::int64_t times,
                                        std::uint64_t drawn) const {
    const std::int64_t small = small_.dims.at(dim.name);
    const std::int64_t more =
        drawn == 0 ? 0 : 1 + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(small));
    if (dim.open) {
      const std::int64_t size = std::min(small * times + more, dim.max);
      return std::max(size / dim.multiple_of * dim.multiple_of, small);
    }
    std::int64_t size = small;
    for (const std::int64_t listed : dim.values) {
      size = listed < small * (times + 1) ? std::max(size, listed) : size;
    }
    return size;
  }

  Status add(const Workload& workload) {
    if (chosen_.size() == kMostOthers || workload == small_ ||
        std::ranges::find(chosen_, workload) != chosen_.end() ||
        !check_workload(problem_, workload)) {
      return {};
    }
    WS_TRY(const std::string broken,
           broken_constraint(problem_, kernel_, workload, kernel_.defaults));
    WS_TRY(const std::int64_t cost, executor_cost_of(problem_, workload));
    if (broken.empty() && cost <= kOtherCost) {
      chosen_.push_back(workload);
    }
    return {};
  }

  const Problem& problem_;
  const Kernel& kernel_;
  const Workload& small_;
  const std::uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<Workload> chosen_;
};

}  // namespace

Result<Shrunk> small_workload(const Problem& problem, const Kernel& kernel) {
  WS_TRY(const std::vector<Workload> all, expand_workloads(problem));
  WS_TRY(const Coverage covered, cover(problem, kernel, all, kernel.defaults));
  WS_TRY(const Workload smallest, smallest_workload(problem, covered.run));
  return shrink_below(problem, kernel, kernel.defaults, smallest, kSmallCost);
}

Result<std::vector<Workload>> other_workloads(const Problem& problem, const Kernel& kernel,
                                              const Workload& small, std::uint64_t seed) {
  return Chooser(problem, kernel, small, seed).choose();
}

}  // namespace ws
