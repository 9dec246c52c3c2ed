#include "runtime/judge/validation_plan.h"

#include <algorithm>
#include <string>

#include "runtime/base/keyed_stream.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

constexpr std::size_t kMaxListed = 8;  // Times five distributions: seconds on an emulated device.
constexpr std::size_t kMaxRagged = 12;
constexpr std::size_t kQuickRagged = 2;
constexpr std::size_t kMaxStrict = 64;  ///< As many workloads as a call may list.
constexpr std::size_t kStrictDraws = 3;

using Distributions = std::span<const Distribution>;

constexpr Distribution kAll[] = {Distribution::kNormalRowScale, Distribution::kExactIntegers,
                                 Distribution::kDeclared, Distribution::kUniform,
                                 Distribution::kSparse};
constexpr Distribution kPair[] = {Distribution::kNormalRowScale, Distribution::kExactIntegers};
constexpr Distribution kDeclaredPair[] = {Distribution::kDeclared, Distribution::kDeclared};
constexpr Distribution kLargeOne[] = {Distribution::kLarge};
constexpr Distribution kTiesOne[] = {Distribution::kTies};
constexpr Distribution kTiesLast[] = {Distribution::kDeclared, Distribution::kTies};
constexpr Distribution kTiesFirst[] = {Distribution::kTies, Distribution::kDeclared};
constexpr Distribution kDeclaredOne[] = {Distribution::kDeclared};

/// The runs that each origin gets at one level.
struct LevelRow {
  ValidationLevel level;
  bool mixtures;
  Distributions listed;
  Distributions minimal;
  Distributions ragged;
  std::size_t max_listed;
  std::size_t max_ragged;
  std::size_t draws;  ///< So many of each distribution.
};

constexpr LevelRow kLevels[] = {
    {ValidationLevel::kQuick, true, kPair, {}, kDeclaredOne, 1, kQuickRagged, 1},
    {ValidationLevel::kQuick, false, kDeclaredPair, {}, kDeclaredOne, 1, kQuickRagged, 1},
    {ValidationLevel::kStandard, true, kAll, kPair, kPair, kMaxListed, kMaxRagged, 1},
    {ValidationLevel::kStandard, false, kDeclaredPair, kDeclaredOne, kDeclaredPair, kMaxListed,
     kMaxRagged, 1},
    {ValidationLevel::kStrict, true, kAll, kAll, kAll, kMaxStrict, kMaxStrict, kStrictDraws},
    {ValidationLevel::kStrict, false, kDeclaredOne, kDeclaredOne, kDeclaredOne, kMaxStrict,
     kMaxStrict, kStrictDraws},
};

const LevelRow& row_of(ValidationLevel level, bool mixtures) {
  level = level == ValidationLevel::kSanitize ? ValidationLevel::kStandard : level;
  return *std::find_if(std::begin(kLevels), std::end(kLevels), [&](const LevelRow& row) {
    return row.level == level && row.mixtures == mixtures;
  });
}

/// Candidates of one origin: listed ones cheapest first, hidden ones in the order they were drawn.
std::vector<std::size_t> of_origin(std::span<const CandidateWorkload> candidates,
                                   WorkloadOrigin origin) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].origin == origin) {
      found.push_back(i);
    }
  }
  if (origin == WorkloadOrigin::kListed) {
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      return candidates[a].cost < candidates[b].cost;
    });
  }
  return found;
}

/// Keeps `count`, evenly spaced: the cheapest and (from two on) the costliest among them.
void thin_out(std::vector<std::size_t>& workloads, std::size_t count) {
  if (workloads.size() <= count) {
    return;
  }
  std::vector<std::size_t> kept(count, workloads.front());
  for (std::size_t i = 1; i < count; ++i) {
    kept[i] = workloads[i * (workloads.size() - 1) / (count - 1)];
  }
  workloads = std::move(kept);
}

void add_runs(ValidationPlan& plan, std::span<const std::size_t> workloads,
              Distributions distributions, std::size_t draws) {
  for (const std::size_t workload : workloads) {
    for (std::size_t draw = 0; draw < draws; ++draw) {
      for (const Distribution distribution : distributions) {
        plan.runs.push_back({workload, distribution, plan.runs.size()});
      }
    }
  }
}

}  // namespace

ValidationPlan plan_validation(ValidationLevel level, std::span<const CandidateWorkload> candidates,
                               bool mixtures, bool large, bool ties) {
  const LevelRow& row = row_of(level, mixtures);
  std::vector<std::size_t> listed = of_origin(candidates, WorkloadOrigin::kListed);
  std::vector<std::size_t> ragged = of_origin(candidates, WorkloadOrigin::kRagged);
  std::vector<std::size_t> minimal = of_origin(candidates, WorkloadOrigin::kMinimal);
  ValidationPlan plan;
  plan.listed_left_out = listed.size() - std::min(listed.size(), row.max_listed);
  thin_out(listed, row.max_listed);
  ragged.resize(std::min(ragged.size(), row.max_ragged));
  const std::span<const std::size_t> all_listed(listed);
  const std::size_t cheapest = std::min<std::size_t>(1, listed.size());
  const bool quick = level == ValidationLevel::kQuick;
  const bool beside = ties && mixtures;  // Runs of their own, as others draw floats.
  const Distributions of_listed = ties && !mixtures ? Distributions(kTiesLast) : row.listed;
  const Distributions of_ragged =
      ties && !mixtures && !quick ? Distributions(kTiesFirst) : row.ragged;
  add_runs(plan, all_listed.first(cheapest), of_listed, row.draws);
  if (beside) {
    add_runs(plan, all_listed.first(cheapest), kTiesOne, row.draws);
  }
  if (large && !quick) {
    add_runs(plan, all_listed.first(cheapest), kLargeOne, row.draws);
  }
  add_runs(plan, all_listed.subspan(cheapest), of_listed, row.draws);
  add_runs(plan, ragged, of_ragged, row.draws);
  if (beside && !quick && !ragged.empty()) {
    add_runs(plan, std::span<const std::size_t>(ragged).first(1), kTiesOne, row.draws);
  }
  add_runs(plan, minimal, row.minimal, row.draws);
  if (plan.runs.empty()) {  // Only hidden ones are left: better a small run than none.
    add_runs(plan, minimal, row.listed, row.draws);
  }
  return plan;
}

std::uint64_t run_seed(std::uint64_t secret, const ValidationRun& run, int attempt) {
  return derive_seed(secret, "run, attempt " + std::to_string(attempt), run.seed_index);
}

}  // namespace ws
