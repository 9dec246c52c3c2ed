#include "runtime/kernel/plan/index_range.h"

#include <doctest/doctest.h>

#include "runtime/kernel/form/test_forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// y[m] from x[m, n], with dims as given.
Problem rows_problem(const char* dims, const char* more = "{}") {
  Json form = Json::parse(
      R"({"args": [{"name": "x", "type": "f32", "shape": ["m", "n"], "role": "in"},
                   {"name": "y", "type": "f32", "shape": ["m"], "role": "out"}],
          "reference": {"kind": "first_kernel"}})");
  form["dims"] = Json::parse(dims);
  form.update(Json::parse(more));
  return read_problem(form);
}

std::string untried(const Problem& problem, const char* kernel = "{}",
                    const std::vector<Workload>& tried = {{{{"m", 8}, {"n", 8}}, {}}}) {
  const auto found = untried_range(problem, one_launch_kernel(problem, kernel), {}, tried);
  REQUIRE(found.has_value());
  return *found ? (*found)->name + " " + std::to_string((*found)->elements) : "nothing";
}

constexpr const char* kWide =
    R"({"m": {"values": [8], "min": 1, "max": 65536},
        "n": {"values": [9], "min": 3, "max": 65536, "multiple_of": 3}})";

}  // namespace

TEST_SUITE("kernel.index_range") {
  TEST_CASE("a domain beyond 2^31 elements is found, if no run had as many") {
    CHECK(untried(rows_problem(kWide)) == "x 4294901760");
    CHECK(untried(rows_problem(kWide), "{}", {{{{"m", 65536}, {"n", 65535}}, {}}}) == "nothing");
    CHECK(untried(rows_problem(R"({"m": {"values": [8], "min": 1, "max": 4096},
                                   "n": {"values": [8], "min": 1, "max": 4096}})")) == "nothing");
    // 2^31 elements have indices below it.
    CHECK(untried(rows_problem(R"({"m": [8], "n": [268435456]})")) == "nothing");
    CHECK(untried(rows_problem(R"({"m": [8], "n": [268435457]})")) == "x 2147483656");
  }

  TEST_CASE("sizes that the problem or the kernel excludes are not asked for") {
    CHECK(untried(rows_problem(kWide, R"({"valid": ["m * n <= 1000000"]})")) == "nothing");
    CHECK(untried(rows_problem(R"({"m": {"values": [8], "min": 1, "max": 1000000000},
                                   "n": {"values": [8], "min": 1, "max": 1000000000}})",
                               R"({"valid": ["m * n <= 8000000000"]})")) == "x 8000000000");
    CHECK(untried(rows_problem(kWide), R"({"constraints": ["m * n < 2147483648"]})") == "nothing");
  }
}

}  // namespace ws
