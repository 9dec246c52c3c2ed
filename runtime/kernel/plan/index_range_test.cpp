#include "runtime/kernel/plan/index_range.h"

#include <map>

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
                    const std::vector<Workload>& tried = {{{{"m", 8}, {"n", 8}}, {}}},
                    double most_bytes = 1e18) {
  const auto found =
      untried_range(problem, one_launch_kernel(problem, kernel), {}, tried, most_bytes);
  REQUIRE(found.has_value());
  return *found ? (*found)->name + " " + std::to_string((*found)->elements) : "nothing";
}

/// "m above 8 (65536), n above 9 (65535)"
std::string far_above(const Problem& problem, const std::map<std::string, std::int64_t>& tried,
                      const char* kernel = "{}") {
  const auto found = untried_sizes(problem, one_launch_kernel(problem, kernel), {}, tried);
  REQUIRE(found.has_value());
  std::string text;
  for (const UntriedSizes& sizes : *found) {
    text += (text.empty() ? "" : ", ") + sizes.dim + " above " + std::to_string(sizes.tried) +
            " (" + std::to_string(sizes.allowed) + ")";
  }
  return text;
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

  TEST_CASE("where the largest size takes too much memory a smaller one is asked for") {
    const std::vector<Workload> tried = {{{{"m", 8}, {"n", 9}}, {}}};
    const Problem wide = rows_problem(
        R"({"m": {"values": [8], "min": 1, "max": 131072},
            "n": {"values": [9], "min": 3, "max": 65536, "multiple_of": 3}})");
    // 32 GiB; 16 GiB with half the rows.
    CHECK(untried(wide, "{}", tried, 34.4e9) == "x 8589803520");
    CHECK(untried(wide, "{}", tried, 30e9) == "x 4294901760");
    // No smaller one has so many elements, or is allowed.
    CHECK(untried(wide, "{}", tried, 17e9) == "x 8589803520");
    CHECK(untried(wide, R"({"constraints": ["m == 131072"]})", tried, 30e9) == "x 8589803520");
    // Listed dims stay as they are.
    CHECK(untried(rows_problem(R"({"m": [8], "n": [1073741824]})"), "{}", tried, 1e9) ==
          "x 8589934592");
  }

  TEST_CASE("dims whose domain ends far above all that was tried are found") {
    const Problem wide = rows_problem(kWide);
    CHECK(far_above(wide, {{"m", 8}, {"n", 9}}) == "m above 8 (65536), n above 9 (65535)");
    CHECK(far_above(wide, {{"m", 8192}, {"n", 8193}}) == "m above 8192 (65536)");
    CHECK(far_above(wide, {{"m", 8193}, {"n", 65535}}).empty());
    CHECK(far_above(rows_problem(R"({"m": [8, 65536], "n": [8]})"), {{"m", 8}, {"n", 8}}).empty());
  }

  TEST_CASE("a dim's sizes count as far as problem and kernel allow them") {
    const std::map<std::string, std::int64_t> tried = {{"m", 8}, {"n", 9}};
    CHECK(far_above(rows_problem(kWide, R"({"valid": ["m * n <= 100000"]})"), tried) ==
          "m above 8 (8192), n above 9 (8190)");
    CHECK(far_above(rows_problem(kWide), tried, R"({"constraints": ["m < 64", "n < 1000"]})") ==
          "n above 9 (510)");
    const char* square = R"({"m": {"values": [8], "min": 1, "max": 4096},
                             "n": {"values": [8], "min": 1, "max": 4096}})";
    CHECK(far_above(rows_problem(square, R"({"valid": ["m == n"]})"), {{"m", 8}, {"n", 8}}) ==
          "m above 8 (4096), n above 8 (4096)");
  }
}

}  // namespace ws
