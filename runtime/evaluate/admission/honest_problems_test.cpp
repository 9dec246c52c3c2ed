// Problems that ask for real work, and whose results look as if they did not.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "runtime/evaluate/admission/test_problems.h"

namespace ws {
namespace {

struct Honest {
  const char* what;
  Problem problem;
  SheetFunction reference;
};

const std::string kX = f32_arg("x", R"("n")", "in");
const std::string kRows = f32_arg("x", R"("m", "n")", "in");
const std::string kY = f32_arg("y", R"("n")", "out");
const std::string kGrid = f32_arg("y", R"("m", "n")", "out");

double sum_of(const Sheet& sheet, std::size_t begin, std::size_t count) {
  double sum = 0;
  for (std::size_t i = begin; i < begin + count; ++i) {
    sum += sheet.get(0, i);
  }
  return sum;
}

/// Sets each element of buffer 1.
SheetFunction each(std::function<double(const Sheet&, std::size_t i)> value) {
  return [value = std::move(value)](const Sheet& sheet) {
    for (std::size_t i = 0; i < sheet.size(1); ++i) {
      sheet.set(1, i, value(sheet, i));
    }
  };
}

/// y[row] = value(row's first element, row's length), for each element of the row.
SheetFunction each_of_row(
    std::function<double(const Sheet&, std::size_t i, std::size_t first, std::size_t count)>
        value) {
  return each([value = std::move(value)](const Sheet& sheet, std::size_t i) {
    const std::size_t count = sheet.extent(0, 1);
    return value(sheet, i, i / count * count, count);
  });
}

double softmax(const Sheet& sheet, std::size_t i, std::size_t first, std::size_t count) {
  double most = sheet.get(0, first);
  for (std::size_t j = first; j < first + count; ++j) {
    most = std::max(most, sheet.get(0, j));
  }
  double sum = 0;
  for (std::size_t j = first; j < first + count; ++j) {
    sum += std::exp(sheet.get(0, j) - most);
  }
  return std::exp(sheet.get(0, i) - most) / sum;
}

double centred(const Sheet& sheet, std::size_t i, std::size_t first, std::size_t count) {
  return sheet.get(0, i) - sum_of(sheet, first, count) / static_cast<double>(count);
}

double product(const Sheet& sheet, std::size_t i) {
  const std::size_t columns = sheet.extent(1, 1);
  const std::size_t inner = sheet.extent(0, 1);
  double sum = 0;
  for (std::size_t k = 0; k < inner; ++k) {
    sum += sheet.get(0, i / columns * inner + k) * sheet.get(2, k * columns + i % columns);
  }
  return sum;
}

/// Symmetrical results, results that are one number, results in which much is simple.
std::vector<Honest> plain_problems() {
  const std::string n = R"("n": [64, 100])";
  return {
      {"a sum that is the same from both ends", sheet_problem(n, kX + "," + kY),
       each([](const Sheet& sheet, std::size_t i) {
         return sheet.get(0, i) + sheet.get(0, sheet.size(0) - 1 - i);
       })},
      {"a product of each pair of elements",
       sheet_problem(n, kX + "," + f32_arg("y", R"("n", "n")", "out")),
       each([](const Sheet& sheet, std::size_t i) {
         return sheet.get(0, i / sheet.size(0)) * sheet.get(0, i % sheet.size(0));
       })},
      {"a sum that is written everywhere", sheet_problem(n, kX + "," + kY),
       each([](const Sheet& sheet, std::size_t /*i*/) { return sum_of(sheet, 0, sheet.size(0)); })},
      {"a row's sum in each element of the row",
       sheet_problem(R"("m": [8], "n": [64])", kRows + "," + kGrid),
       each_of_row([](const Sheet& sheet, std::size_t /*i*/, std::size_t first, std::size_t count) {
         return sum_of(sheet, first, count);
       })},
      {"a multiple", sheet_problem(n, kX + "," + kY),
       each([](const Sheet& sheet, std::size_t i) { return 0.3 * sheet.get(0, i); })},
      {"squares before zeros", sheet_problem(n, kX + "," + f32_arg("y", R"("2 * n")", "out")),
       each([](const Sheet& sheet, std::size_t i) {
         return i < sheet.size(0) ? sheet.get(0, i) * sheet.get(0, i) : 0;
       })},
      {"a copy before squares", sheet_problem(n, kX + "," + kY),
       each([](const Sheet& sheet, std::size_t i) {
         const double x = sheet.get(0, i);
         return i < sheet.size(0) / 2 ? x : x * x;
       })},
      {"the lower triangle of a product of pairs",
       sheet_problem(n, kX + "," + f32_arg("y", R"("n", "n")", "out")),
       each([](const Sheet& sheet, std::size_t i) {
         const std::size_t row = i / sheet.size(0);
         const std::size_t column = i % sheet.size(0);
         return column <= row ? sheet.get(0, row) * sheet.get(0, column) : 0;
       })},
  };
}

/// Sizes of one come first, or are all that is listed.
std::vector<Honest> problems_of_size_one() {
  const std::string grid = kRows + "," + kGrid;
  const std::string open = R"("m": [4], "n": {"values": [1], "min": 1, "max": 64})";
  return {
      {"a softmax", sheet_problem(R"("m": [1, 8], "n": [1, 64])", grid), each_of_row(softmax)},
      {"a softmax with larger sizes that are not listed", sheet_problem(open, grid),
       each_of_row(softmax)},
      {"rows without their mean", sheet_problem(R"("m": [8], "n": [1, 64])", grid),
       each_of_row(centred)},
      {"a running sum", sheet_problem(R"("n": [1, 64])", kX + "," + kY),
       each([](const Sheet& sheet, std::size_t i) { return sum_of(sheet, 0, i + 1); })},
      {"the sum of a row",
       sheet_problem(R"("m": [4], "n": [1, 64])", kRows + "," + f32_arg("y", R"("m")", "out")),
       each([](const Sheet& sheet, std::size_t i) {
         return sum_of(sheet, i * sheet.extent(0, 1), sheet.extent(0, 1));
       })},
      {"a product of matrices",
       sheet_problem(R"("m": [1, 8], "n": [1, 8], "k": [1, 32])",
                     f32_arg("a", R"("m", "k")", "in") + "," + kGrid + "," +
                         f32_arg("b", R"("k", "n")", "in")),
       each(product)},
  };
}

/// Simple outputs beside one that needs work.
std::vector<Honest> problems_of_two_outputs() {
  const std::string two = kX + "," + kY + "," + f32_arg("s", R"("1")", "out");
  const auto beside_sum = [](double factor) -> SheetFunction {
    return [factor](const Sheet& sheet) {
      for (std::size_t i = 0; i < sheet.size(1); ++i) {
        sheet.set(1, i, factor * sheet.get(0, i));
      }
      sheet.set(2, 0, sum_of(sheet, 0, sheet.size(0)));
    };
  };
  return {
      {"a copy beside a sum", sheet_problem(R"("n": [64])", two), beside_sum(1)},
      {"the other sign beside a sum", sheet_problem(R"("n": [64])", two), beside_sum(-1)},
      {"a multiple beside a sum", sheet_problem(R"("n": [64])", two), beside_sum(2)},
  };
}

void check(const std::vector<Honest>& problems) {
  for (const Honest& each : problems) {
    CAPTURE(each.what);
    const auto found = weaknesses_with(each.problem, each.reference);
    REQUIRE(found.has_value());
    REQUIRE(found->has_value());
    CHECK(lines_of(**found).empty());
  }
}

}  // namespace

TEST_SUITE("evaluate.admission") {
  TEST_CASE("symmetrical, uniform and partly simple results are no weakness") {
    check(plain_problems());
  }

  TEST_CASE("a size of one does not make a problem weak that has larger ones") {
    check(problems_of_size_one());
  }

  TEST_CASE("a simple output is no weakness beside one that needs work") {
    check(problems_of_two_outputs());
  }
}

}  // namespace ws
