// Hidden workloads: sizes that a problem allows and does not list.
//
// A kernel that is right on the listed sizes alone can be wrong anywhere else: on every even size,
// below 100, beyond the largest one. So the sizes come from different rules, in an order that the
// seed draws.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "runtime/kernel/plan/size_draw.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

/// The rules of one round. Multiples take two draws to meet with some certainty.
constexpr std::array kRules = {SizeRule::kBeside,  SizeRule::kTiny,    SizeRule::kLow,
                               SizeRule::kHigh,    SizeRule::kBeyond,  SizeRule::kOthers,
                               SizeRule::kResidue, SizeRule::kResidue, SizeRule::kBlocks,
                               SizeRule::kLast,    SizeRule::kThin,    SizeRule::kThick};

/// A workload costs at most this much more than the cheapest listed one.
constexpr double kCostShare = 1.5;
/// One beyond the largest size costs at most this much more than the costliest, and at most so much
/// by itself (in units of cost_of, a fraction of a second on the CPU engine).
constexpr double kBeyondShare = 2.5;
constexpr double kBeyondCost = 16e6;

bool is_listed(const Problem& problem, const Workload& workload) {
  return std::all_of(problem.dims.begin(), problem.dims.end(), [&](const DimSpec& dim) {
    const std::int64_t value = workload.dims.at(dim.name);
    return std::find(dim.values.begin(), dim.values.end(), value) != dim.values.end();
  });
}

/// Collects distinct hidden workloads.
class HiddenPicker {
 public:
  HiddenPicker(const Problem& problem, const std::vector<Workload>& listed, std::size_t count,
               std::uint64_t seed)
      : problem_(problem),
        listed_(listed),
        count_(count),
        random_(seed) {
    for (const DimSpec& dim : problem.dims) {
      if (dim.open) {
        open_.push_back(&dim);
      }
    }
    for (std::size_t last = open_.size(); last > 1; --last) {
      std::swap(open_[last - 1], open_[random_() % last]);
    }
  }

  Result<std::vector<Workload>> pick() {
    if (open_.empty() || count_ == 0) {
      return found_;
    }
    WS_TRY(near_, smallest_workload(problem_, listed_));
    WS_CHECK(limit_costs());
    Workload least = near_;
    for (const DimSpec* dim : open_) {
      least.dims[dim->name] = smallest_size(*dim);
    }
    WS_CHECK(add(least, most_));
    // A size beside a listed one comes first: tails are the most common mistake. The others are in
    // an order that the seed draws.
    std::array rules = kRules;
    for (std::size_t last = rules.size() - 1; last > 1; --last) {
      std::swap(rules.at(last), rules.at(1 + random_() % last));
    }
    constexpr std::size_t kRounds = 4;
    for (std::size_t i = 0; i < kRounds * rules.size() && found_.size() < count_; ++i) {
      WS_CHECK(add_by(rules.at(i % rules.size())));
    }
    return found_;
  }

 private:
  Status limit_costs() {
    double costliest = 0;
    for (const Workload& workload : listed_) {
      WS_TRY(const std::int64_t cost, cost_of(problem_, workload));
      costliest = std::max(costliest, static_cast<double>(cost));
    }
    WS_TRY(const std::int64_t cost, cost_of(problem_, near_));
    most_ = kCostShare * static_cast<double>(cost);
    most_beyond_ = std::max(most_, std::min(kBeyondShare * costliest, kBeyondCost));
    return {};
  }

  /// Adds one workload by a rule, where one of some tries is allowed.
  Status add_by(SizeRule rule) {
    constexpr int kTries = 32;
    constexpr int kTriesOfTile = 5;
    const std::size_t before = found_.size();
    const bool halves = rule == SizeRule::kBeyond || rule == SizeRule::kOthers;
    const bool beyond = halves || rule == SizeRule::kBlocks || rule == SizeRule::kLast;
    for (int i = 0; i < kTries && found_.size() == before; ++i) {
      const bool near = halves && i >= kTries / 2;  // Far ones may cost too much,
      const int halvings = i / kTriesOfTile;        // and so may whole tiles.
      WS_CHECK(add(draw(rule, near, halvings, i % 2 == 1), beyond ? most_beyond_ : most_));
    }
    return {};
  }

  /// The rule of one of the open dims. Where a rule is for half of them the others are as they may
  /// be, so that the workload stays cheap.
  [[nodiscard]] SizeRule rule_of(std::size_t place, SizeRule rule, bool near) const {
    const bool first_half = place % 2 == 0;
    switch (rule) {
      case SizeRule::kBeyond:
      case SizeRule::kOthers: {
        const bool large = open_.size() == 1 || first_half == (rule == SizeRule::kBeyond);
        return !large ? SizeRule::kAny : near ? SizeRule::kAbove : rule;
      }
      case SizeRule::kBlocks:
        return first_half ? rule : SizeRule::kWarps;
      case SizeRule::kThin:
      case SizeRule::kThick:
        return first_half == (rule == SizeRule::kThin) ? SizeRule::kLeast : SizeRule::kAny;
      default:
        return rule;
    }
  }

  /// @param near  Large dims are anywhere above the largest listed size. @param halvings  As those
  /// of SizeDraw.
  /// @param tied  Dims that are equal in `near_` stay equal, as `valid` may ask ("m == n").
  Workload draw(SizeRule rule, bool near, int halvings, bool tied) {
    Workload workload = near_;
    std::map<std::int64_t, std::int64_t> same;  // near_ value -> drawn size
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const DimSpec& dim = *open_[i];
      const std::int64_t value = near_.dims.at(dim.name);
      const std::int64_t size =
          SizeDraw(dim, value, halvings, random_).draw(rule_of(i, rule, near));
      workload.dims[dim.name] = tied ? same.try_emplace(value, size).first->second : size;
    }
    return workload;
  }

  Status add(const Workload& workload, double most) {
    if (is_listed(problem_, workload) || !check_workload(problem_, workload) ||
        std::find(found_.begin(), found_.end(), workload) != found_.end()) {
      return {};
    }
    WS_TRY(const std::int64_t cost, cost_of(problem_, workload));
    if (static_cast<double>(cost) <= most) {
      found_.push_back(workload);
    }
    return {};
  }

  const Problem& problem_;
  const std::vector<Workload>& listed_;
  std::size_t count_;
  std::mt19937_64 random_;
  std::vector<const DimSpec*> open_;
  Workload near_;
  double most_ = 0;
  double most_beyond_ = 0;
  std::vector<Workload> found_;
};

}  // namespace

Result<std::vector<Workload>> hidden_workloads(const Problem& problem,
                                               const std::vector<Workload>& listed,
                                               std::size_t count, std::uint64_t seed) {
  return HiddenPicker(problem, listed, count, seed).pick();
}

}  // namespace ws
