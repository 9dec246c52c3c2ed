// Search spaces: which points hold, what is drawn, and what is refused.
#include "runtime/tune/space.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws::tune {
namespace {

Result<bool> any(const std::vector<std::int64_t>& /*values*/) {
  return true;
}

/// Nine axes of ten values: a billion points.
std::vector<Axis> billion() {
  std::vector<Axis> axes;
  for (int i = 0; i < 9; ++i) {
    Axis axis{"p" + std::to_string(i), {}};
    for (std::int64_t value = 0; value < 10; ++value) {
      axis.values.push_back(value);
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

struct Tuned {
  Problem problem;
  Kernel kernel;
  std::vector<Workload> workloads;
};

Tuned tuned(const char* constraints) {
  nlohmann::json form = matmul_kernel();
  form["constraints"] = nlohmann::json::parse(constraints);
  Tuned made{read_problem(matmul_problem()), {}, {}};
  made.kernel = read_kernel(form, made.problem);
  made.workloads = *expand_workloads(made.problem);
  return made;
}

std::string space_error(const char* constraints) {
  const Tuned made = tuned(constraints);
  return error_text(kernel_space(made.problem, made.kernel, made.workloads));
}

}  // namespace

TEST_SUITE("tune.space") {
  TEST_CASE("the points of a small space are those that hold, in order") {
    auto space = Space::make({{"a", {1, 2, 3}}, {"b", {10, 20}}}, [](const auto& values) {
      return Result<bool>(values[0] * values[1] != 20);
    });
    REQUIRE(space.has_value());
    CHECK(space->listed());
    CHECK(space->total() == 6);
    CHECK(space->excluded() == 2);
    CHECK(space->points() == std::vector<Point>{{0, 0}, {1, 1}, {2, 0}, {2, 1}});
    CHECK(space->holds({0, 0}));
    CHECK_FALSE(space->holds({0, 1}));
    CHECK_FALSE(space->holds({3, 0}));
    CHECK_FALSE(space->holds({0}));
    CHECK(space->neighbours({2, 0}) == std::vector<Point>{{0, 0}, {2, 1}});
    CHECK(space->key({2, 1}) == "3,20");
    CHECK(space->params({2, 1}) == Params{{"a", 3}, {"b", 20}});
    CHECK(space->find({{"a", 3}, {"b", 20}}) == Point{2, 1});
    CHECK_FALSE(space->find({{"a", 3}, {"b", 21}}).has_value());
    CHECK_FALSE(space->find({{"a", 3}}).has_value());
  }

  TEST_CASE("each point of a small space is drawn about as often") {
    auto space = Space::make({{"a", {1, 2, 3, 4}}}, any);
    REQUIRE(space.has_value());
    Random random(7);
    std::vector<int> counts(4);
    for (int i = 0; i < 4000; ++i) {
      ++counts[space->draw(random)->front()];
    }
    CHECK(*std::min_element(counts.begin(), counts.end()) > 850);
  }

  TEST_CASE("a billion points are not enumerated: they are drawn") {
    std::size_t asked = 0;
    auto space = Space::make(billion(), [&asked](const auto& values) {
      ++asked;
      return Result<bool>((values[0] + values[8]) % 2 == 0);
    });
    REQUIRE(space.has_value());
    CHECK_FALSE(space->listed());
    CHECK(space->total() == 1'000'000'000);
    CHECK(asked == 0);
    Random random(3);
    std::set<Point> drawn;
    for (int i = 0; i < 100; ++i) {
      const auto point = space->draw(random);
      REQUIRE(point.has_value());
      CHECK((point->front() + point->back()) % 2 == 0);
      drawn.insert(*point);
    }
    CHECK(drawn.size() == 100);
    CHECK(asked < 1000);
  }

  TEST_CASE("a large space without a point ends the draws after a while") {
    auto space = Space::make(billion(), [](const auto&) { return Result<bool>(false); });
    REQUIRE(space.has_value());
    Random random(3);
    CHECK_FALSE(space->draw(random).has_value());
    CHECK(space->excluded() == kMaxDraws);
    CHECK(space->status().has_value());
  }

  TEST_CASE("more points than 64 bits can count are a large space like others") {
    std::vector<Axis> axes;
    for (int i = 0; i < 30; ++i) {
      axes.push_back({"p" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}});
    }
    const auto space = Space::make(axes, any);
    REQUIRE(space.has_value());
    CHECK_FALSE(space->listed());
    CHECK(space->total() == std::numeric_limits<std::uint64_t>::max());
  }

  TEST_CASE("a constraint that fails at a point of a large space ends the draws with its error") {
    auto space = Space::make(billion(), [](const auto&) -> Result<bool> {
      return fail(ErrorCode::kInvalidArgument, "it cannot be evaluated");
    });
    REQUIRE(space.has_value());
    Random random(3);
    CHECK_FALSE(space->draw(random).has_value());
    CHECK(error_text(space->status()) == "invalid_argument: it cannot be evaluated");
  }

  TEST_CASE("a kernel's space is what its constraints allow on all workloads") {
    const Tuned made = tuned(R"(["BM*BN <= 512", "k % (TILE_K*128) == 0"])");
    const auto space = kernel_space(made.problem, made.kernel, made.workloads);
    REQUIRE_MESSAGE(space.has_value(), error_text(space));
    CHECK(space->total() == 24);
    // k is 1024 and 2048: TILE_K of 8 only. BM and BN: all but 32 x 32. K_SPLITS: both.
    CHECK(space->points().size() == 6);
  }

  TEST_CASE("a space without a point, and a constraint that fails, are refused with their texts") {
    CHECK(space_error(R"(["BM > 64"])") ==
          "invalid_argument: the constraints leave none of the 24 points of the search space; "
          "weaken a constraint or list more values");
    CHECK(space_error(R"(["k % (TILE_K - 8) == 0"])") ==
          "invalid_argument: constraints[0]: expression `k % (TILE_K - 8) == 0`: division by zero "
          "at column 3, with BM = 16, BN = 16, K_SPLITS = 1, TILE_K = 8; here:\n"
          "  k % (TILE_K - 8) == 0\n    ^");
    Tuned made = tuned("[]");
    made.kernel.params.clear();
    made.kernel.id = "krn_x";
    CHECK(error_text(kernel_space(made.problem, made.kernel, made.workloads)) ==
          "invalid_argument: krn_x has no `params` to tune; send it with params, for example "
          "{\"TILE\": [8, 16, 32]}, and @TILE@ in its text");
  }
}

}  // namespace ws::tune
