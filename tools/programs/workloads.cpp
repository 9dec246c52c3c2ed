#include "tools/programs/workloads.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>

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
constexpr std::array<std::int64_t, 2> kMany = {7, 5};
constexpr std::array<std::int64_t, 2> kFew = {3, 2};

class Chooser {
 public:
  Chooser(const Problem& problem, const Kernel& kernel, const Workload& small, std::uint64_t seed)
      : problem_(problem),
        kernel_(kernel),
        small_(small),
        seed_(seed),
        random_(seed) {
    for (const DimSpec& dim : problem.dims) {
      const bool compiled_in =
          std::ranges::find(kernel.specialize, dim.name) != kernel.specialize.end();
      if (dim.open && !compiled_in) {
        varied_.push_back(&dim);
      }
    }
  }

  Result<std::vector<Workload>> choose() {
    WS_TRY(std::vector<Workload> hidden, hidden_workloads(problem_, {small_}, kHidden, seed_));
    for (Workload& workload : hidden) {
      keep_fixed_dims(workload);
    }
    if (!hidden.empty()) {
      WS_CHECK(add(hidden.front()));
    }
    for (const DimSpec* dim : varied_) {
      WS_CHECK(add_alone(*dim));
    }
    for (const Workload& workload : hidden) {
      WS_CHECK(add(workload));
    }
    for (const DimSpec* dim : varied_) {
      WS_CHECK(add_beside(*dim));
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

  /// One dim large: beside the others as they are or as small as they may be, where that is cheap.
  Status add_alone(const DimSpec& dim) {
    const auto is_large = [&](const DimSpec& each) { return each.name == dim.name; };
    Workload least = small_;
    for (const DimSpec* each : varied_) {
      least.dims.at(each->name) = least_size(*each);
    }
    WS_TRY(bool added, add_largest(small_, is_large, kMany));
    if (!added) {
      WS_TRY(added, add_largest(least, is_large, kMany));
    }
    if (!added) {
      WS_TRY(added, add_largest(small_, is_large, kFew));
    }
    return {};
  }

  /// One dim as small as it may be, and the others large.
  Status add_beside(const DimSpec& dim) {
    const auto is_large = [&](const DimSpec& each) { return each.name != dim.name; };
    Workload base = small_;
    base.dims.at(dim.name) = least_size(dim);
    WS_TRY(bool added, add_largest(base, is_large, kMany));
    if (!added) {
      WS_TRY(added, add_largest(base, is_large, kFew));
    }
    return {};
  }

  /// `base` with some dims as large as is cheap: ragged where the kernel's constraints allow it,
  /// and together where the problem wants dims to be equal. @return Whether one was added.
  template <typename IsLarge>
  Result<bool> add_largest(const Workload& base, const IsLarge& is_large,
                           std::span<const std::int64_t> all_times) {
    const std::size_t before = chosen_.size();
    for (const bool ragged : {true, false}) {
      for (const bool together : {false, true}) {
        for (const std::int64_t times : all_times) {
          WS_CHECK(add(with_large(base, is_large, {times, ragged, together})));
          if (chosen_.size() > before) {
            return true;
          }
        }
      }
    }
    return false;
  }

  template <typename IsLarge>
  Workload with_large(Workload workload, const IsLarge& is_large, const Large& how) {
    const std::uint64_t shared = random_();
    for (const DimSpec* dim : varied_) {
      const bool large = std::ranges::any_of(varied_, [&](const DimSpec* other) {
        return is_large(*other) &&
               (other == dim ||
                (how.together && small_.dims.at(other->name) == small_.dims.at(dim->name)));
      });
      if (large) {
        const std::uint64_t drawn = how.together ? shared : random_();
        workload.dims.at(dim->name) = large_size(*dim, how.times, how.ragged ? drawn : 0);
      }
    }
    return workload;
  }

  static std::int64_t least_size(const DimSpec& dim) {
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
    const std::int64_t size = std::min(small * times + more, dim.max);
    return std::max(size / dim.multiple_of * dim.multiple_of, small);
  }

  /// Dims that are not varied are those of the small workload.
  void keep_fixed_dims(Workload& workload) const {
    for (const DimSpec& dim : problem_.dims) {
      if (std::ranges::find(varied_, &dim) == varied_.end()) {
        workload.dims.at(dim.name) = small_.dims.at(dim.name);
      }
    }
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
  std::vector<const DimSpec*> varied_;
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
