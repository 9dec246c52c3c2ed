#include "runtime/judge/mismatch_cells.h"

#include <limits>

#include <doctest/doctest.h>

#include "runtime/judge/test_patterns.h"

namespace ws {
namespace {

/// All right values are 1, so that an error's size is what the test says.
MismatchCells cells_of(std::vector<std::int64_t> shape, Broken broken) {
  return plant({.shape = std::move(shape),
                .broken = std::move(broken),
                .right = [](std::int64_t, std::int64_t, double) { return 1.0; }})
      .cells;
}

std::string boxes(const MismatchCells& cells) {
  std::string text;
  for (const Box& box : cells.outline) {
    text += (text.empty() ? "" : " ") + std::to_string(box.first_row) + "-" +
            std::to_string(box.last_row) + "x" + std::to_string(box.first_column) + "-" +
            std::to_string(box.last_column);
  }
  return text;
}

}  // namespace

TEST_SUITE("judge.mismatch_cells") {
  TEST_CASE("a small output has a cell for each element, by the size of its error") {
    const MismatchCells cells = cells_of({2, 12}, [](auto r, auto c, const Want& w) {
      constexpr double kErrors[] = {64, 63, 16.5, 16, 4, 1, 0.25, 0.0625, 0.01, 0};
      if (r == 0 || c > 10) {
        return w(r, c);
      }
      return c == 10 ? std::numeric_limits<double>::infinity() : 1 + kErrors[c];
    });
    CHECK(cells.shape == std::vector<std::int64_t>{2, 12});
    CHECK(cells.rows == 2);
    CHECK(cells.columns == 12);
    CHECK(cells.largest == 64);
    CHECK(cells.levels == std::vector<std::string>{"000000000000", "888765432090"});
  }

  TEST_CASE("a large output has as many cells as are allowed, and each shows its worst element") {
    const MismatchCells cells = cells_of({2, 100, 1000}, [](auto r, auto c, const Want& w) {
      return r == 199 && c == 999 ? 5.0 : r == 0 && c < 500 ? 2.0 : w(r, c);
    });
    CHECK(cells.rows == 200);
    CHECK(cells.columns == 1000);
    CHECK(cells.shape == std::vector<std::int64_t>{2, 100, 1000});
    REQUIRE(cells.levels.size() == kMostCells);
    CHECK(cells.levels[0] == std::string(32, '7') + std::string(32, '0'));
    CHECK(cells.levels[1] == std::string(64, '0'));
    CHECK(cells.levels[63] == std::string(63, '0') + "8");
    CHECK(cells.largest == 4);
  }

  TEST_CASE("a vector is one line of cells") {
    const MismatchCells cells =
        cells_of({1003}, [](auto r, auto c, const Want& w) { return c >= 1000 ? 0.0 : w(r, c); });
    CHECK(cells.levels == std::vector<std::string>{std::string(63, '0') + "8"});
    CHECK(boxes(cells) == "0-0x1000-1002");
  }

  TEST_CASE("elements that were never written have no size of an error") {
    const MismatchCells cells = cells_of(
        {2, 5}, [](auto r, auto c, const Want& w) { return c > 3 ? kUnwritten : w(r, c); });
    CHECK(cells.levels == std::vector<std::string>{"00009", "00009"});
    CHECK(cells.largest == 0);
  }

  struct OutlineCase {
    const char* name;
    Broken broken;
    const char* boxes;
  };

  const OutlineCase kOutlines[] = {
      {"the last columns", [](auto r, auto c, const Want& w) { return c > 60 ? 0.0 : w(r, c); },
       "0-63x61-63"},
      {"the last rows and columns",
       [](auto r, auto c, const Want& w) { return r > 61 || c > 60 ? 0.0 : w(r, c); },
       "62-63x0-63 0-63x61-63"},
      {"every 16th row", [](auto r, auto c, const Want& w) { return r % 16 ? w(r, c) : 0.0; },
       "0-0x0-63 16-16x0-63 32-32x0-63 48-48x0-63"},
      {"a block",
       [](auto r, auto c, const Want& w) { return r / 8 == 2 && c / 8 == 3 ? 0.0 : w(r, c); },
       "16-23x24-31"},
      {"one element",
       [](auto r, auto c, const Want& w) { return r == 7 && c == 9 ? 0.0 : w(r, c); }, "7-7x9-9"},
      {"a diagonal, which fills no line",
       [](auto r, auto c, const Want& w) { return r == c ? 0.0 : w(r, c); }, ""},
      {"everything", [](auto, auto, const Want&) { return 0.0; }, ""},
  };

  TEST_CASE("the place that holds the mismatches is outlined, where there is one") {
    for (const OutlineCase& c : kOutlines) {
      CAPTURE(c.name);
      CHECK(boxes(cells_of({64, 64}, c.broken)) == c.boxes);
    }
  }
}

}  // namespace ws
