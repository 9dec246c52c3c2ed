// Outputs without order: what counts as the same rows, and what is said of others.
#include "runtime/judge/unordered.h"

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "runtime/judge/test_launches.h"

namespace ws {
namespace {

std::string said_of(DType type, const std::vector<double>& got, const std::vector<double>& want,
                    const ErrorBound& bound = {}) {
  Launches launches;
  launches.add({"y", type, {static_cast<std::int64_t>(got.size())}, got}, want);
  return launches.said(bound);
}

std::string said_of_counted(const std::vector<double>& got, double got_count,
                            const std::vector<double>& want, double want_count) {
  Launches launches("found");
  launches.add({"y", DType::kI32, {static_cast<std::int64_t>(got.size())}, got}, want);
  launches.add({"found", DType::kI32, {1}, {got_count}}, {want_count});
  return launches.said();
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_SUITE("judge.unordered") {
  TEST_CASE("the same values in another order pass, of every type") {
    for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16, DType::kI64,
                             DType::kI32, DType::kU8}) {
      CAPTURE(name_of(type));
      CHECK(said_of(type, {3, 1, 2, 1, 0}, {0, 1, 1, 2, 3}) == "passed");
      CHECK(said_of(type, {3, 1, 2, 2, 0}, {0, 1, 1, 2, 3}) ==
            "1 of 5 values is missing (1), 1 of 5 values is surplus (2)");
    }
    CHECK(said_of(DType::kF32, {kNan, 1, kInf, -kInf}, {-kInf, kInf, kNan, 1}) == "passed");
    CHECK(said_of(DType::kF32, {kNan, 1, 2}, {1, 2, 3}) ==
          "1 of 3 values is missing (3), 1 of 3 values is surplus (nan)");
    CHECK(said_of(DType::kI64, {0x1p53, 0x1p53 + 2}, {0x1p53 + 2, 0x1p53}) == "passed");
  }

  TEST_CASE("each value counts as often as it is there") {
    CHECK(said_of(DType::kI32, {5, 5, 5, 7}, {5, 7, 7, 7}) ==
          "2 of 4 values are missing (7 among them), 2 of 4 values are surplus (5 among them)");
  }

  TEST_CASE("floats may be off by their bound, and by no more") {
    const ErrorBound bound{.rtol = 1e-3};
    CHECK(said_of(DType::kF32, {100.05, 10, 1}, {1, 10, 100}, bound) == "passed");
    CHECK(said_of(DType::kF32, {100.5, 10, 1}, {1, 10, 100}, bound) ==
          "1 of 3 values is missing (100), 1 of 3 values is surplus (100.5)");
  }

  TEST_CASE("the bound is that of compare(), whatever the sizes") {
    // Their squares are too large for a double.
    CHECK(said_of(DType::kF64, {1e200, 2e200, 1}, {1e200, 2e200, 3e200}, {.atol = 1e-3}) ==
          "1 of 3 values is missing (3e+200), 1 of 3 values is surplus (1)");
    // A row of zeros is measured by the other rows.
    std::vector<double> want(48, 0);
    std::fill_n(want.begin(), 32, 1);
    std::vector<double> got = want;
    got.back() = 1e-6;
    Launches rows;
    rows.add({"y", DType::kF32, {3, 16}, got}, want);
    CHECK(rows.said({.atol = 1e-5}) == "passed");
    CHECK(rows.said({.rtol = 1e-5}) != "passed");
    // Where most values are zeros, the sums behind them may have been large.
    std::vector<double> few(40, 0);
    few.front() = 1000;
    std::vector<double> off = few;
    off.back() = 0.01;
    CHECK(said_of(DType::kF32, off, few, {.sum = 1e-4}) == "passed");
    CHECK(said_of(DType::kF32, off, few, {.sum = 1e-6}) ==
          "1 of 40 values is missing (0), 1 of 40 values is surplus (0.00999999978)");
  }

  TEST_CASE("whole numbers that are equal as doubles are told apart") {
    const auto said = [](std::uint64_t first, std::uint64_t second) {
      Launches launches;
      launches.add({"keys", DType::kU64, {2}, {0, 0}}, {0, 0});
      launches.add({"values", DType::kF64, {2}, {1, 1.5}}, {1, 1.5});
      launches.set_whole("keys", {first, second}, {0xffffffffffffffff, 0xfffffffffffffffe});
      return launches.said({.rtol = 0.9});
    };
    CHECK(said(0xfffffffffffffffe, 0xffffffffffffffff) == "passed");
    CHECK(said(0xfffffffffffffffd, 0xffffffffffffffff) ==
          "1 of 2 rows is missing ((18446744073709551614, 1.5)), 1 of 2 rows is surplus "
          "((18446744073709551613, 1))");
  }

  TEST_CASE("rows that rounding puts into another order find each other") {
    Launches launches;
    launches.add({"y", DType::kF32, {3, 2}, {1.0001, 5, 1, 2, 9, 9}}, {1, 5, 1.0001, 2, 9, 9});
    CHECK(launches.said({.rtol = 1e-3}) == "passed");
    CHECK(
        launches.said({.rtol = 1e-6}) ==
        "2 of 3 rows are missing ((1, 5) among them), 2 of 3 rows are surplus ((1, 2) among them)");
  }

  TEST_CASE("only the rows that count are compared") {
    CHECK(said_of_counted({7, 3, 99, 99}, 2, {3, 7, 0, 0}, 2) == "passed");
    CHECK(said_of_counted({99, 99, 99, 99}, 0, {0, 1, 2, 3}, 0) == "passed");
    CHECK(said_of_counted({3, 99, 99, 99}, 1, {3, 7, 0, 0}, 2) ==
          "1 of 2 values is missing (7); `found` is 1, not 2");
    CHECK(said_of_counted({3, 7, 8, 99}, 3, {3, 7, 0, 0}, 2) ==
          "1 of 3 values is surplus (8); `found` is 3, not 2");
  }

  TEST_CASE("a number of rows that cannot be is cut to the rows that there are") {
    CHECK(said_of_counted({3, 7}, 1000, {3, 7}, 1) ==
          "1 of 2 values is surplus (7); `found` is 1000, not 1");
    CHECK(said_of_counted({3, 7}, -5, {3, 7}, 1) ==
          "1 of 1 value is missing (3); `found` is -5, not 1");
  }

  TEST_CASE("rows of several outputs belong together") {
    const auto said = [](const std::vector<double>& keys, const std::vector<double>& pairs) {
      Launches launches;
      launches.add({"keys", DType::kF32, {3}, keys}, {1, 2, 3});
      launches.add({"pairs", DType::kI32, {3, 2}, pairs}, {10, 11, 20, 21, 30, 31});
      return launches.said({.rtol = 1e-6});
    };
    CHECK(said({3, 1, 2}, {30, 31, 10, 11, 20, 21}) == "passed");
    CHECK(said({1, 3, 2}, {30, 31, 10, 11, 20, 21}) ==
          "2 of 3 rows are missing ((10, 11, 1) among them), 2 of 3 rows are surplus ((10, 11, 3) "
          "among them)");
  }

  TEST_CASE("rows that were never written are counted") {
    Launches launches;
    launches.add({"y", DType::kF32, {4}, {1, 2, 3, 4}}, {1, 2, 3, 4});
    const Poison poison = Poison::random_bits(DType::kF32, 7);
    poison.fill(launches.got(0).span());
    launches.got(0).set(0, 4);
    launches.got(0).set(1, 2);
    const std::string text = launches.said({}, &poison);
    CHECK(text.find("2 of 4 values are missing (1 among them), 2 of 4 values are surplus (") == 0);
    CHECK(text.find(" among them), 2 of these never written") != std::string::npos);
  }

  TEST_CASE("the worst element names the place of a surplus row, and both values") {
    Launches launches;
    launches.add({"y", DType::kI32, {4}, {4, 9, 2, 1}}, {1, 2, 3, 4});
    const RowsComparison rows = launches.compared();
    CHECK(rows.comparison.worst->index == std::vector<std::int64_t>{1});
    CHECK(rows.comparison.worst->got == 9);
    CHECK(rows.comparison.worst->want == 3);
    CHECK(rows.comparison.mismatches == 1);
    CHECK(rows.comparison.share() == 0.25);
    CHECK(rows.pattern.code == kMissingRows);
    CHECK(rows.pattern.hint ==
          "their order does not count, but each must be there once: look for two threads that take "
          "the same place (take it from the result of one atomicAdd), for places that nobody "
          "writes, and for a condition that keeps too much or too little");
  }

  TEST_CASE("values that do not count need not be finite") {
    Launches launches("found");
    launches.add({"y", DType::kF32, {3}, {1, kNan, kInf}}, {1, 2, 3});
    launches.add({"found", DType::kI32, {1}, {1}}, {1});
    CHECK(launches.said() == "passed");
    CHECK(in_range(launches.sorted_got()));
    launches.got(1).set(0, 2);
    CHECK_FALSE(in_range(launches.sorted_got()));
    launches.got(1).set(0, 4);
    CHECK_FALSE(launches.sorted_got().fits());
  }
}

}  // namespace ws
