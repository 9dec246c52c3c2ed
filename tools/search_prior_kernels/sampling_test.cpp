#include "tools/search_prior_kernels/sampling.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace ws {
namespace {

SearchHit hit(const std::string& id, bool passed, std::optional<double> ratio = std::nullopt) {
  SearchHit row;
  row.kernel_id = id;
  row.passed = passed;
  row.ratio = ratio;
  row.against = "reference";
  return row;
}

const std::vector<SearchHit>& all_hits() {
  static const std::vector<SearchHit> hits = {hit("fast", true, 3), hit("slow", true, 1),
                                              hit("wrong", false), hit("untimed", true)};
  return hits;
}

}  // namespace

TEST_SUITE("tools.sampling") {
  TEST_CASE("ten of a hundred seeds draw nothing, ten failures, eighty what passed") {
    constexpr int kSeeds = 10000;
    std::map<SampledKind, int> kinds;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      ++kinds[sampled_kind(seed)];
    }
    CHECK(kinds[SampledKind::kEmpty] > 900);
    CHECK(kinds[SampledKind::kEmpty] < 1100);
    CHECK(kinds[SampledKind::kFailed] > 900);
    CHECK(kinds[SampledKind::kFailed] < 1100);
    CHECK(kinds[SampledKind::kPassed] ==
          kSeeds - kinds[SampledKind::kEmpty] - kinds[SampledKind::kFailed]);
  }

  TEST_CASE("a kernel that is three times as fast is drawn three times as often") {
    std::map<std::string, int> first;
    int draws = 0;
    for (std::uint64_t seed = 0; seed < 5000; ++seed) {
      if (sampled_kind(seed) == SampledKind::kPassed) {
        ++first[sampled(all_hits(), seed, 1).at(0).kernel_id];
        ++draws;
      }
    }
    CHECK(first["fast"] == doctest::Approx(draws * 3 / 4.5).epsilon(0.05));
    CHECK(first["slow"] == doctest::Approx(draws * 1 / 4.5).epsilon(0.1));
    CHECK(first["untimed"] == doctest::Approx(draws * 0.5 / 4.5).epsilon(0.15));
    CHECK(first["wrong"] == 0);
  }

  TEST_CASE("each hit is drawn at most once, and no more than there are") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const std::size_t size = sampled(all_hits(), seed, 10).size();
      const SampledKind kind = sampled_kind(seed);
      CHECK(size == (kind == SampledKind::kEmpty ? 0U : kind == SampledKind::kFailed ? 1U : 3U));
    }
    CHECK(sampled({}, 1, 5).empty());
  }
}

}  // namespace ws
