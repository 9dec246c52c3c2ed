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

#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

/// How the sizes of a hidden workload are drawn.
enum class SizeRule : std::uint8_t {
  kBeside,   ///< Near a listed size and unlike it: one beside it, odd, prime.
  kAny,      ///< Log-uniform over the domain.
  kTiny,     ///< As kAny, in the first quarter of what lies between the smallest and a listed size,
  kLow,      ///< in the second one,
  kHigh,     ///< and above that half.
  kResidue,  ///< As kAny, then moved to a multiple of 1, 2, 4, 32 or 256 and of no larger one.
  kBeyond,   ///< Some dims well above the largest listed size,
  kOthers,   ///< or those that kBeyond leaves,
  kAbove,    ///< or anywhere above it.
  kBlocks,   ///< Some dims are a multiple of 1024, as many threads as a block may have,
  kLast,     ///< or all are one short of a multiple of 256, the last residue of each power of two.
  kThin,     ///< Some dims are the smallest, and the others are not,
  kThick,    ///< or the other way round.
  kLeast,    ///< The smallest.
};

/// The rules of one round. Multiples take two draws to meet with some certainty.
constexpr std::array kRules = {SizeRule::kBeside,  SizeRule::kTiny,    SizeRule::kLow,
                               SizeRule::kHigh,    SizeRule::kBeyond,  SizeRule::kOthers,
                               SizeRule::kResidue, SizeRule::kResidue, SizeRule::kBlocks,
                               SizeRule::kLast,    SizeRule::kThin,    SizeRule::kThick};
constexpr std::array<std::int64_t, 5> kMultiples = {1, 2, 4, 32, 256};
constexpr std::int64_t kBlock = 1024;

/// A workload costs at most this much more than the cheapest listed one.
constexpr double kCostShare = 1.5;
/// One beyond the largest size costs at most this much more than the costliest, and at most so much
/// by itself (in units of cost_of, a fraction of a second on the CPU engine).
constexpr double kBeyondShare = 2.5;
constexpr double kBeyondCost = 16e6;

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

bool is_listed(const Problem& problem, const Workload& workload) {
  return std::all_of(problem.dims.begin(), problem.dims.end(), [&](const DimSpec& dim) {
    const std::int64_t value = workload.dims.at(dim.name);
    return std::find(dim.values.begin(), dim.values.end(), value) != dim.values.end();
  });
}

/// Draws one size of a dim.
class SizeDraw {
 public:
  SizeDraw(const DimSpec& dim, std::int64_t near, std::mt19937_64& random)
      : dim_(dim),
        near_(near),
        largest_(dim.values.empty() ? near
                                    : *std::max_element(dim.values.begin(), dim.values.end())),
        random_(random) {}

  /// A size that the dim allows; the one of `near` where the rule finds none.
  std::int64_t draw(SizeRule rule) {
    const std::int64_t size = by_rule(rule);
    return size >= smallest_size(dim_) && size <= dim_.max ? size : near_;
  }

 private:
  std::int64_t by_rule(SizeRule rule) {
    switch (rule) {
      case SizeRule::kBeside:
        return beside();
      case SizeRule::kAny:
        return multiple(smallest_size(dim_), 2 * largest_);
      case SizeRule::kTiny:
        return multiple(smallest_size(dim_) + dim_.multiple_of, between(0.25));
      case SizeRule::kLow:
        return multiple(between(0.25), between(0.5));
      case SizeRule::kHigh:
        return multiple(between(0.5), 2 * largest_);
      case SizeRule::kResidue:
        return of_residue();
      case SizeRule::kBeyond:
      case SizeRule::kOthers:
        return above(std::min(largest_ + (largest_ + 1) / 2, dim_.max));
      case SizeRule::kBlocks:
        return of_multiple(kBlock, 0);
      case SizeRule::kLast:
        return of_multiple(kMultiples.back(), 1);
      case SizeRule::kLeast:
        return smallest_size(dim_);
      case SizeRule::kThin:
      case SizeRule::kThick:
      case SizeRule::kAbove:
        break;
    }
    return above(largest_ + 1);
  }

  /// At a part of the way from the smallest size to the listed one, by ratio.
  [[nodiscard]] std::int64_t between(double part) const {
    const auto least = static_cast<double>(smallest_size(dim_));
    return std::llround(least * std::pow(static_cast<double>(near_) / least, part));
  }

  std::int64_t multiple(std::int64_t low, std::int64_t high) {
    return log_uniform(low, high) / dim_.multiple_of * dim_.multiple_of;
  }

  std::int64_t above(std::int64_t low) {
    return round_up(log_uniform(low, 2 * largest_), dim_.multiple_of);
  }

  std::int64_t beside() {
    const std::int64_t units = near_ / dim_.multiple_of;
    const std::array<std::int64_t, 6> all = {
        units - 1,     units + 1,        prime_below(units - 1), prime_below(units * 2 / 3),
        units / 2 + 1, units * 3 / 4 | 1};
    return all.at(random_() % all.size()) * dim_.multiple_of;
  }

  /// So much less than a multiple, in the dim's own units.
  std::int64_t of_multiple(std::int64_t multiple, std::int64_t less) {
    const std::int64_t units =
        round_up(log_uniform(1, largest_ / dim_.multiple_of), multiple) - less;
    return units * dim_.multiple_of;
  }

  std::int64_t of_residue() {
    const std::size_t at = random_() % kMultiples.size();
    const std::int64_t multiple = kMultiples.at(at);
    std::int64_t units = log_uniform(1, 2 * largest_ / dim_.multiple_of);
    units = round_up(units, multiple);
    if (at + 1 < kMultiples.size() && units % kMultiples.at(at + 1) == 0) {
      units += multiple;
    }
    return units * dim_.multiple_of;
  }

  std::int64_t log_uniform(std::int64_t low, std::int64_t high) {
    const auto least = static_cast<double>(std::max<std::int64_t>(low, 1));
    const double most = std::max(least, static_cast<double>(std::min(high, dim_.max)));
    // Not std::uniform_real_distribution, whose numbers differ between libraries.
    const double share = static_cast<double>(random_() >> 11U) * 0x1p-53;
    return std::llround(least * std::exp(share * std::log(most / least)));
  }

  const DimSpec& dim_;
  std::int64_t near_;
  std::int64_t largest_;  // The largest listed size.
  std::mt19937_64& random_;
};

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
    const std::size_t before = found_.size();
    const bool halves = rule == SizeRule::kBeyond || rule == SizeRule::kOthers;
    const bool beyond = halves || rule == SizeRule::kBlocks || rule == SizeRule::kLast;
    for (int i = 0; i < kTries && found_.size() == before; ++i) {
      const bool near = halves && i >= kTries / 2;  // Far ones may cost too much.
      WS_CHECK(add(draw(rule, near, i % 2 == 1), beyond ? most_beyond_ : most_));
    }
    return {};
  }

  /// The rule of one of the open dims. Half of them are large, and the others as they may be, so
  /// that the workload stays cheap.
  [[nodiscard]] SizeRule rule_of(std::size_t place, SizeRule rule, bool near) const {
    const bool even = open_.size() == 1 || place % 2 == 0;
    switch (rule) {
      case SizeRule::kBeyond:
      case SizeRule::kOthers: {
        const bool large = open_.size() == 1 || even == (rule == SizeRule::kBeyond);
        return !large ? SizeRule::kAny : near ? SizeRule::kAbove : rule;
      }
      case SizeRule::kBlocks:
        return even ? rule : SizeRule::kAny;
      case SizeRule::kThin:
      case SizeRule::kThick:
        return even == (rule == SizeRule::kThin) ? SizeRule::kLeast : SizeRule::kAny;
      default:
        return rule;
    }
  }

  /// @param near  Large dims are anywhere above the largest listed size.
  /// @param tied  Dims that are equal in `near_` stay equal, as `valid` may ask ("m == n").
  Workload draw(SizeRule rule, bool near, bool tied) {
    Workload workload = near_;
    std::map<std::int64_t, std::int64_t> same;  // near_ value -> drawn size
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const DimSpec& dim = *open_[i];
      const std::int64_t value = near_.dims.at(dim.name);
      const std::int64_t size = SizeDraw(dim, value, random_).draw(rule_of(i, rule, near));
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
