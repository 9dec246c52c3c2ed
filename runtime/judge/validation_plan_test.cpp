#include "runtime/judge/validation_plan.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace ws {

TEST_SUITE("judge.validation_plan") {
  CandidateWorkload candidate(WorkloadOrigin origin, std::int64_t cost) {
    return {Workload{{{"n", cost}}, {}}, origin, cost};
  }

  const std::vector<CandidateWorkload> kUsual = {
      candidate(WorkloadOrigin::kListed, 2048), candidate(WorkloadOrigin::kListed, 256),
      candidate(WorkloadOrigin::kMinimal, 1),   candidate(WorkloadOrigin::kRagged, 263),
      candidate(WorkloadOrigin::kRagged, 67),
  };

  struct PlanCase {
    const char* name;
    ValidationLevel level;
    bool mixtures;
    const char* runs;  ///< "cost:distribution" of each.
  };

  constexpr PlanCase kCases[] = {
      {"quick", ValidationLevel::kQuick, true,
       "256:normal 256:exact_integers 263:declared 67:declared "},
      {"quick without floats", ValidationLevel::kQuick, false,
       "256:declared 256:declared 263:declared 67:declared "},
      {"standard", ValidationLevel::kStandard, true,
       "256:normal 256:exact_integers 256:declared 256:uniform 256:sparse "
       "2048:normal 2048:exact_integers 2048:declared 2048:uniform 2048:sparse "
       "263:normal 263:exact_integers 67:normal 67:exact_integers 1:normal 1:exact_integers "},
      {"standard without floats", ValidationLevel::kStandard, false,
       "256:declared 256:declared 2048:declared 2048:declared "
       "263:declared 263:declared 67:declared 67:declared 1:declared "},
  };

  std::string text_of(const ValidationPlan& plan, const std::vector<CandidateWorkload>& from) {
    std::string text;
    for (const ValidationRun& run : plan.runs) {
      text += std::to_string(from[run.workload].cost) + ":";
      text += std::string(name_of(run.distribution)) + " ";
    }
    return text;
  }

  TEST_CASE("each level makes these runs, in this order") {
    for (const PlanCase& c : kCases) {
      CAPTURE(c.name);
      const ValidationPlan plan = plan_validation(c.level, kUsual, c.mixtures);
      CHECK(text_of(plan, kUsual) == c.runs);
    }
  }

  TEST_CASE("large values are the cheapest listed workload's last run, at standard only") {
    const ValidationPlan plan = plan_validation(ValidationLevel::kStandard, kUsual, true, true);
    CHECK(text_of(plan, kUsual) ==
          "256:normal 256:exact_integers 256:declared 256:uniform 256:sparse 256:large "
          "2048:normal 2048:exact_integers 2048:declared 2048:uniform 2048:sparse "
          "263:normal 263:exact_integers 67:normal 67:exact_integers 1:normal 1:exact_integers ");
    CHECK(text_of(plan_validation(ValidationLevel::kQuick, kUsual, true, true), kUsual) ==
          kCases[0].runs);
  }

  TEST_CASE("integers tie in every second run, or in runs of their own beside floats") {
    const auto tied = [](ValidationLevel level, bool mixtures) {
      return text_of(plan_validation(level, kUsual, mixtures, false, true), kUsual);
    };
    CHECK(tied(ValidationLevel::kQuick, false) ==
          "256:declared 256:ties 263:declared 67:declared ");
    CHECK(tied(ValidationLevel::kStandard, false) ==
          "256:declared 256:ties 2048:declared 2048:ties "
          "263:ties 263:declared 67:ties 67:declared 1:declared ");
    CHECK(tied(ValidationLevel::kQuick, true) ==
          "256:normal 256:exact_integers 256:ties 263:declared 67:declared ");
    CHECK(tied(ValidationLevel::kStandard, true) ==
          "256:normal 256:exact_integers 256:declared 256:uniform 256:sparse 256:ties "
          "2048:normal 2048:exact_integers 2048:declared 2048:uniform 2048:sparse "
          "263:normal 263:exact_integers 67:normal 67:exact_integers 263:ties "
          "1:normal 1:exact_integers ");
  }

  TEST_CASE("of many listed workloads eight are run, the cheapest and the costliest among them") {
    std::vector<CandidateWorkload> many;
    for (std::int64_t cost = 1; cost <= 100; ++cost) {
      many.push_back(candidate(WorkloadOrigin::kListed, cost));
    }
    const ValidationPlan plan = plan_validation(ValidationLevel::kStandard, many, true);
    CHECK(plan.runs.size() == 40);
    CHECK(plan.listed_left_out == 92);
    CHECK(many[plan.runs.front().workload].cost == 1);
    CHECK(many[plan.runs.back().workload].cost == 100);
    CHECK(plan_validation(ValidationLevel::kQuick, many, true).listed_left_out == 99);
  }

  TEST_CASE("closed dims leave the listed runs, and only hidden ones are still run") {
    const std::vector<CandidateWorkload> closed = {candidate(WorkloadOrigin::kListed, 9)};
    CHECK(plan_validation(ValidationLevel::kQuick, closed, true).runs.size() == 2);
    const std::vector<CandidateWorkload> hidden = {candidate(WorkloadOrigin::kMinimal, 1)};
    CHECK(plan_validation(ValidationLevel::kQuick, hidden, true).runs.size() == 2);
    CHECK(plan_validation(ValidationLevel::kStandard, {}, true).runs.empty());
  }

  TEST_CASE("no two runs and no two attempts share a seed, and another secret changes all") {
    std::set<std::uint64_t> seeds;
    const ValidationPlan plan = plan_validation(ValidationLevel::kStandard, kUsual, true);
    for (const std::uint64_t secret : {1U, 2U}) {
      for (const ValidationRun& run : plan.runs) {
        for (int attempt = 0; attempt < 3; ++attempt) {
          seeds.insert(run_seed(secret, run, attempt));
        }
      }
    }
    CHECK(seeds.size() == 2 * plan.runs.size() * 3);
  }
}

}  // namespace ws
