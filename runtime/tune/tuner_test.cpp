// The scheduler on a planted space: what it finds, what it takes, and when it stops.
#include "runtime/tune/tuner.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "runtime/tune/race.h"
#include "runtime/tune/test_recording.h"
#include "tests/support/replay_backend.h"

namespace ws::tune {
namespace {

struct Setting {
  std::string strategy = "random";
  ReplayOptions replay;
  double budget_s = 1e6;
  std::optional<std::size_t> max_evaluations;
  std::vector<Point> first;
  std::vector<Evaluation> known;
  std::uint64_t seed = 5;
};

TuneResult tune_planted(const Setting& setting, const Tuner::OnEvaluation& watch = {}) {
  const Recording recording = planted_recording();
  auto space = recording.space();
  REQUIRE(space.has_value());
  const auto strategy = make_strategy(setting.strategy, *space, setting.seed);
  REQUIRE(strategy.has_value());
  ReplayEvaluationBackend backend(recording, setting.replay);
  TunerOptions options;
  options.budget_s = setting.budget_s;
  options.max_evaluations = setting.max_evaluations;
  options.first = setting.first;
  Tuner tuner(*space, **strategy, backend, options);
  tuner.know(setting.known);
  auto result = tuner.run(watch);
  REQUIRE(result.has_value());
  return *std::move(result);
}

Setting with_strategy(std::string_view name) {
  Setting setting;
  setting.strategy = name;
  return setting;
}

/// Evaluations until the planted best was found; as many as there are points when it never was.
std::size_t tries_to_best(std::string_view strategy, std::size_t workers, std::uint64_t seed) {
  Setting setting = with_strategy(strategy);
  setting.replay.workers = workers;
  setting.seed = seed;
  std::size_t tries = 0;
  tune_planted(setting, [&](const Evaluation& evaluation, const Evaluation*, double) {
    ++tries;
    return evaluation.point != kPlantedBest;
  });
  return tries;
}

}  // namespace

TEST_SUITE("tune.tuner") {
  TEST_CASE("every strategy finds the planted best, and ends when all points are known") {
    for (const std::string_view name : strategy_names()) {
      CAPTURE(std::string(name));
      for (const std::size_t workers : {std::size_t{1}, std::size_t{7}}) {
        CAPTURE(workers);
        Setting setting = with_strategy(name);
        setting.replay.workers = workers;
        const TuneResult result = tune_planted(setting);
        REQUIRE(result.best.has_value());
        CHECK(result.evaluations[*result.best].point == kPlantedBest);
        CHECK(result.evaluations[*result.best].verified);
        CHECK(result.evaluations[*result.best].us == 100);
        CHECK(result.end == TuneEnd::kExhausted);
        std::set<Point> distinct;
        for (const Evaluation& evaluation : result.evaluations) {
          distinct.insert(evaluation.point);
        }
        CHECK(distinct.size() == result.evaluations.size());
      }
    }
  }

  TEST_CASE("what learns finds the best sooner than chance, with few and many compilers") {
    struct Row {
      const char* strategy;
      std::size_t most;  // Median tries of nine seeds; chance takes 128.
    };

    constexpr Row rows[] = {
        {"greedy", 80}, {"genetic", 110}, {"evolution", 90}, {"surrogate", 60}, {"portfolio", 60}};
    for (const Row& row : rows) {
      CAPTURE(std::string(row.strategy));
      for (const std::size_t workers : {std::size_t{1}, std::size_t{8}}) {
        CAPTURE(workers);
        std::vector<std::size_t> tries;
        for (std::uint64_t seed = 1; seed <= 9; ++seed) {
          tries.push_back(tries_to_best(row.strategy, workers, seed));
        }
        std::nth_element(tries.begin(), tries.begin() + 4, tries.end());
        CHECK(tries[4] <= row.most);
      }
    }
  }

  TEST_CASE("compiles run ahead on all workers while the device measures") {
    const auto seconds = [](ReplayOptions replay) {
      Setting setting = with_strategy("exhaustive");
      setting.replay = replay;
      return tune_planted(setting).evaluations.back().t_s;
    };
    // 256 compiles of 1 s each; trials are shorter.
    const double serial = seconds({.workers = 1, .serial = true});
    const double one = seconds({.workers = 1, .serial = false});
    const double eight = seconds({.workers = 8, .serial = false});
    CHECK(serial == doctest::Approx(256 + 240 * (7 * 0.01 + 0.5)));
    CHECK(one >= 256);
    CHECK(one < 260);
    CHECK(eight >= 32);
    CHECK(eight < 36);
  }

  TEST_CASE("a budget in seconds, in evaluations, or both ends the search") {
    Setting setting;
    setting.budget_s = 20.5;
    const TuneResult timed = tune_planted(setting);
    CHECK(timed.end == TuneEnd::kBudget);
    CHECK(timed.evaluations.size() >= 18);
    CHECK(timed.evaluations.size() <= 20);
    setting.max_evaluations = 7;
    const TuneResult counted = tune_planted(setting);
    CHECK(counted.end == TuneEnd::kEvaluations);
    CHECK(counted.evaluations.size() == 7);
    setting.replay.workers = 16;
    CHECK(tune_planted(setting).evaluations.size() == 7);
  }

  TEST_CASE("the points to try first come first, and those that do not hold not at all") {
    Setting setting;
    setting.first = {{9, 9, 9}, {1, 1, 1}, {0, 0, 0}};
    setting.max_evaluations = 4;
    const TuneResult result = tune_planted(setting);
    REQUIRE(result.evaluations.size() == 4);
    CHECK(result.evaluations[0].point == Point{1, 1, 1});
    CHECK(result.evaluations[1].point == Point{0, 0, 0});
  }

  TEST_CASE("what is known from before is not tried again, and the search goes on from it") {
    Setting setting = with_strategy("portfolio");
    setting.max_evaluations = 30;
    const TuneResult before = tune_planted(setting);
    setting.known = before.evaluations;
    Evaluation foreign;
    foreign.point = {99, 0, 0};
    foreign.us = 1;
    foreign.verified = true;
    setting.known.push_back(foreign);
    CHECK(tune_planted(setting).evaluations.size() == 30);
    setting.max_evaluations = 50;
    std::set<Point> known;
    for (const Evaluation& evaluation : before.evaluations) {
      known.insert(evaluation.point);
    }
    const TuneResult after =
        tune_planted(setting, [&](const Evaluation& evaluation, const Evaluation*, double) {
          CHECK_FALSE(known.contains(evaluation.point));
          return true;
        });
    CHECK(after.evaluations.size() == 50);
    REQUIRE(after.best.has_value());
    CHECK(after.evaluations[*after.best].us <= before.evaluations[*before.best].us);
    CHECK((after.convergence.empty() || after.convergence.front().t_s > 0));
  }

  TEST_CASE("a point that was not verified is never the best, however fast") {
    Setting setting;
    Evaluation unsure;
    unsure.point = {0, 0, 0};
    unsure.us = 1;
    setting.known = {unsure};
    setting.max_evaluations = 40;
    const TuneResult result = tune_planted(setting);
    REQUIRE(result.best.has_value());
    CHECK(result.evaluations[*result.best].us >= 100);
  }

  TEST_CASE("a point that fails is reported as such and is never the best") {
    const TuneResult result = tune_planted(with_strategy("exhaustive"));
    const auto failed = std::count_if(result.evaluations.begin(), result.evaluations.end(),
                                      [](const Evaluation& e) { return e.fate == Fate::kFailed; });
    CHECK(failed == 16);
    for (const Evaluation& evaluation : result.evaluations) {
      CHECK((evaluation.fate == Fate::kGood) == (evaluation.us < kUnusable));
    }
  }

  TEST_CASE("the curve falls, and each of its points is a verified best") {
    const TuneResult result = tune_planted(with_strategy("random"));
    REQUIRE(result.convergence.size() > 2);
    for (std::size_t i = 1; i < result.convergence.size(); ++i) {
      CHECK(result.convergence[i].best_us < result.convergence[i - 1].best_us);
      CHECK(result.convergence[i].t_s >= result.convergence[i - 1].t_s);
    }
    CHECK(result.convergence.back().best_us == 100);
  }

  TEST_CASE("the caller can stop a search after any evaluation") {
    std::size_t told = 0;
    const TuneResult result =
        tune_planted({}, [&](const Evaluation&, const Evaluation*, double) { return ++told < 3; });
    CHECK(result.end == TuneEnd::kStopped);
    CHECK(result.evaluations.size() == 3);
  }
}

TEST_SUITE("tune.race") {
  TEST_CASE("a point that is far off costs one sample, a close one three, a better one all") {
    struct Row {
      double us;
      int samples;
      bool finished;
    };

    constexpr Row rows[] = {{131, 1, false}, {129, 3, false}, {106, 3, false},
                            {104, 7, false}, {99, 7, true},   {100, 7, true}};
    for (const Row& row : rows) {
      CAPTURE(row.us);
      int taken = 0;
      const auto result = race(
          [&]() -> Result<double> {
            ++taken;
            return row.us;
          },
          std::vector<double>(7, 100));
      REQUIRE(result.has_value());
      CHECK(result->samples.size() == static_cast<std::size_t>(row.samples));
      CHECK(taken == row.samples);
      CHECK(result->finished == row.finished);
      CHECK(result->us == row.us);
    }
  }

  TEST_CASE("one outlier does not decide a race") {
    int taken = 0;
    const auto result = race([&]() -> Result<double> { return ++taken == 2 ? 1000.0 : 90.0; },
                             std::vector<double>(7, 100));
    REQUIRE(result.has_value());
    CHECK(result->finished);
    CHECK(result->us == 90);
  }

  TEST_CASE("a device that is slow at first does not make a better point lose") {
    const std::vector<double> best = {270, 250, 210, 100, 100, 100, 100};
    int taken = 0;
    const auto better = [&]() -> Result<double> {
      return 0.9 * best[static_cast<std::size_t>(taken++)];
    };
    const auto result = race(better, best);
    REQUIRE(result.has_value());
    CHECK(result->finished);
    CHECK(result->us == doctest::Approx(90));
  }

  TEST_CASE("a point that warms up later than the best is not dropped for its first samples") {
    const std::vector<double> best = {367, 145, 137, 119, 119, 119, 119};
    const std::vector<double> samples = {273, 206, 99, 106, 100, 100, 100};
    std::size_t taken = 0;
    const auto result = race([&]() -> Result<double> { return samples[taken++]; }, best);
    REQUIRE(result.has_value());
    CHECK(result->finished);
    CHECK(result->us == 100);
  }

  TEST_CASE("a sample that cannot be taken ends the race with its error") {
    const auto result =
        race([]() -> Result<double> { return fail(ErrorCode::kCancelled, "stopped"); }, {});
    REQUIRE_FALSE(result.has_value());
    CHECK(to_text(result.error()) == "cancelled: stopped");
  }
}

}  // namespace ws::tune
