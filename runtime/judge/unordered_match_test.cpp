// Rows that rounding has moved find each other in large outputs, and wrong ones are found.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "runtime/judge/random.h"
#include "runtime/judge/test_launches.h"

namespace ws {
namespace {

constexpr std::int64_t kColumns = 2;
constexpr ErrorBound kBound{.rtol = 1e-5, .atol = 1e-5};

struct Rows {
  std::vector<double> values;

  [[nodiscard]] std::int64_t count() const {
    return static_cast<std::int64_t>(values.size()) / kColumns;
  }

  [[nodiscard]] double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * kColumns + column)];
  }

  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * kColumns + column)];
  }
};

enum class FirstColumn : std::uint8_t { kAny, kEqual, kOfTen };

Rows drawn(std::int64_t count, FirstColumn first) {
  Random random(7);
  Rows rows{std::vector<double>(static_cast<std::size_t>(count * kColumns))};
  for (std::int64_t row = 0; row < count; ++row) {
    const double any = random.uniform();
    rows.at(row, 0) = first == FirstColumn::kAny     ? any
                      : first == FirstColumn::kEqual ? 0.5
                                                     : std::floor(any * 10) / 10;
    rows.at(row, 1) = random.uniform();
  }
  return rows;
}

/// The rows in another order, each element off by up to so much of itself.
Rows rounded_anew(const Rows& rows, double relative) {
  Random random(8);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows.count()));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i)]);
  }
  Rows moved = rows;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      moved.at(row, column) = rows.at(order[static_cast<std::size_t>(row)], column) *
                              (1 + relative * (2 * random.uniform() - 1));
    }
  }
  return moved;
}

Launches launches_of(const Rows& got, const Rows& want, DType type = DType::kF32) {
  Launches launches;
  launches.add({"y", type, {want.count(), kColumns}, got.values}, want.values);
  return launches;
}

std::string said(const Rows& got, const Rows& want) {
  return launches_of(got, want).said(kBound);
}

/// How many rows can have a partner, by trying every choice. @param got  The first row that is
/// left. @param taken  The rows of `want` that are taken, as bits.
std::int64_t most_pairs(const Rows& rows, const Rows& want, double allowed, std::int64_t got = 0,
                        unsigned taken = 0) {
  if (got == rows.count()) {
    return 0;
  }
  std::int64_t most = most_pairs(rows, want, allowed, got + 1, taken);
  for (std::int64_t row = 0; row < want.count(); ++row) {
    const bool alike = std::abs(rows.at(got, 0) - want.at(row, 0)) <= allowed &&
                       std::abs(rows.at(got, 1) - want.at(row, 1)) <= allowed;
    const unsigned bit = 1U << static_cast<unsigned>(row);
    if (alike && (taken & bit) == 0) {
      most = std::max(most, 1 + most_pairs(rows, want, allowed, got + 1, taken | bit));
    }
  }
  return most;
}

}  // namespace

TEST_SUITE("judge.unordered_match") {
  TEST_CASE("rows that rounding has moved find each other, however many there are") {
    for (const std::int64_t count : {20'000, 100'000}) {
      for (const FirstColumn first :
           {FirstColumn::kAny, FirstColumn::kEqual, FirstColumn::kOfTen}) {
        CAPTURE(count);
        CAPTURE(static_cast<int>(first));
        const Rows want = drawn(count, first);
        CHECK(said(rounded_anew(want, 5e-6), want) == "passed");
      }
    }
  }

  TEST_CASE("one wrong row among many is found") {
    for (const std::int64_t count : {20'000, 100'000}) {
      for (const FirstColumn first :
           {FirstColumn::kAny, FirstColumn::kEqual, FirstColumn::kOfTen}) {
        CAPTURE(count);
        CAPTURE(static_cast<int>(first));
        Rows want = drawn(count, first);
        want.at(3, 1) = 5;
        want.at(4, 1) = 6;
        const Rows right = rounded_anew(want, 5e-6);
        const std::string of = " of " + std::to_string(count);
        const auto place = [&](double value) {
          return std::ranges::find_if(right.values,
                                      [&](double x) { return std::abs(x - value) < 1e-3; }) -
                 right.values.begin();
        };
        const auto third = static_cast<std::size_t>(place(5));
        const auto fourth = static_cast<std::size_t>(place(6));

        Rows twice = right;  // A row is there twice, and another one is missing.
        twice.values[third] = twice.values[fourth];
        twice.values[third - 1] = twice.values[fourth - 1];
        const std::string text = said(twice, want);
        CHECK(text.starts_with("1" + of + " rows is missing (("));
        CHECK(text.find(", 5)), 1" + of + " rows is surplus ((") != std::string::npos);

        Rows changed = right;
        changed.values[third] = 5.001;
        CHECK(said(changed, want).starts_with("1" + of + " rows is missing (("));
        CHECK(said(changed, want).ends_with(", 5.00099993))"));
      }
    }
  }

  TEST_CASE("a row gives its partner up for one that no other row can have") {
    // The first row of each side is alike to both of the other, the second to the first only.
    const Rows got{{0.4, 0.6, 0.9, -0.5, 10, 10}};
    const Rows want{{0, 0, 0.5, 1, 10, 10}};
    const Launches launches = launches_of(got, want, DType::kF64);
    CHECK(launches.said({.atol = 0.1}) == "passed");  // Times 10, the largest value.
    const RowsComparison rows = launches.compared({.atol = 0.1});
    CHECK(rows.comparison.max_abs_error == 0.9);
    CHECK(rows.comparison.max_rel_error == 0.09);
  }

  TEST_CASE("there are as many pairs as there can be") {
    constexpr std::int64_t kRows = 6;
    Random random(9);
    for (int trial = 0; trial < 500; ++trial) {
      CAPTURE(trial);
      Rows got{std::vector<double>(kRows * kColumns)};
      Rows want = got;
      for (std::size_t i = 0; i < got.values.size(); ++i) {
        got.values[i] = static_cast<double>(random.below(8));
        want.values[i] = static_cast<double>(random.below(8));
      }
      want.at(0, 0) = 8;  // The largest value, which the bound is a part of.
      const RowsComparison rows = launches_of(got, want, DType::kF64).compared({.atol = 0.25});
      CHECK(rows.comparison.mismatches == kColumns * (kRows - most_pairs(got, want, 2)));
    }
  }

  TEST_CASE("where the search reaches its limit, only what is certain is said") {
    const ErrorBound wide{.atol = 0.2};
    Rows want = drawn(400, FirstColumn::kAny);
    want.at(0, 0) = -1;
    want.at(0, 1) = -1;
    Rows got = rounded_anew(want, 0.1);
    const RowsComparison rows = launches_of(got, want).compared(wide, nullptr, 10);
    CHECK(rows.agreement == Agreement::kUnknown);
    CHECK(rows.pattern.text ==
          "too many rows differ to be matched: 220 of 400 rows have no partner yet, and too many "
          "others are within the tolerance of several");
    CHECK(rows.pattern.hint == "validate smaller sizes, or give `y` a smaller `tolerance`");
    CHECK(launches_of(got, want).said(wide) == "passed");

    Rows strange = got;
    strange.at(399, 1) = 3;
    CHECK(launches_of(strange, want).said(wide, nullptr, 5000) ==
          "at least 1 of 400 rows is surplus ((0.887488306, 3))");
    CHECK(launches_of(strange, want).said(wide) ==
          "1 of 400 rows is missing ((0.961625755, 0.423611641)), 1 of 400 rows is surplus "
          "((0.887488306, 3))");
    *std::ranges::min_element(got.values) = -3;
    CHECK(launches_of(got, want).said(wide, nullptr, 2000) ==
          "at least 1 of 400 rows is missing ((-1, -1)), 1 of 400 rows is surplus "
          "((-0.964254975, -3))");
    CHECK(launches_of(got, want).said(wide).starts_with(
        "1 of 400 rows is missing ((-1, -1)), 1 of 400 rows is surplus ((-"));
  }
}

}  // namespace ws
