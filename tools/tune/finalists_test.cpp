#include "tools/tune/finalists.h"

#include <string>

#include <doctest/doctest.h>

#include "runtime/tune/race.h"
#include "tools/tune/finals.h"

namespace ws {
namespace {

/// A good point that was timed in full.
tune::Evaluation timed(double us, bool verified = false) {
  tune::Evaluation evaluation;
  evaluation.us = us;
  evaluation.samples.assign(static_cast<std::size_t>(tune::race_stages().back().samples), us);
  evaluation.verified = verified;
  return evaluation;
}

/// The fastest that was verified is the best.
tune::TuneResult result_of(std::vector<tune::Evaluation> evaluations) {
  tune::TuneResult found;
  found.evaluations = std::move(evaluations);
  for (std::size_t i = 0; i < found.evaluations.size(); ++i) {
    const bool faster = !found.best || found.evaluations[i].us < found.evaluations[*found.best].us;
    if (found.evaluations[i].verified && faster) {
      found.best = i;
    }
  }
  return found;
}

std::string times_of(const std::vector<const tune::Evaluation*>& points) {
  std::string text;
  for (const tune::Evaluation* point : points) {
    text += (text.empty() ? "" : " ") + std::to_string(static_cast<int>(point->us));
  }
  return text;
}

}  // namespace

TEST_SUITE("tune.finalists") {
  TEST_CASE("finalists were timed in full and are close to the best, the fastest first") {
    tune::TuneResult found = result_of({timed(104), timed(120), timed(100, true), timed(90)});
    tune::Evaluation cut_short = timed(101);
    cut_short.samples.resize(1);
    tune::Evaluation failed = timed(102);
    failed.fate = tune::Fate::kFailed;
    found.evaluations.push_back(cut_short);
    found.evaluations.push_back(failed);
    CHECK(times_of(finalists_of(found, 1, 15)) == "90 100 104");
  }

  TEST_CASE("no more finalists than their comparisons have time for, but one where there is any") {
    const tune::TuneResult quick =
        result_of({timed(1, true), timed(1), timed(1), timed(1), timed(1), timed(1)});
    CHECK(finalists_of(quick, 1, 15).size() == kMaxFinalists);
    CHECK(finalists_of(quick, 1, 0.6).size() == 2);
    // A comparison of one workload takes 25 launches of 0.1 s.
    const tune::TuneResult slow = result_of({timed(1e5, true), timed(1e5), timed(1e5)});
    CHECK(finalists_of(slow, 1, 5).size() == 2);
    CHECK(finalists_of(slow, 2, 5).size() == 1);
    CHECK(finalists_of(slow, 1, 0.1).size() == 1);
    CHECK(finalists_of(result_of({}), 1, 15).empty());
  }

  TEST_CASE("the sample is of timed points that were neither verified nor are finalists") {
    const tune::TuneResult found =
        result_of({timed(100, true), timed(101), timed(300), timed(400)});
    const auto finalists = finalists_of(found, 1, 15);
    REQUIRE(times_of(finalists) == "100 101");
    for (std::uint64_t secret = 0; secret < 8; ++secret) {
      const std::string sample = times_of(sample_of(found, finalists, secret));
      CHECK((sample == "300 400" || sample == "400 300"));
    }
    CHECK(sample_of(result_of({timed(100, true)}), {}, 1).empty());
  }
}

}  // namespace ws
