#include "runtime/lift/symbolic/cells.h"

#include <vector>

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

constexpr std::int64_t kFar = 100000;

std::vector<std::int64_t> offsets_of(Cells cells) {
  std::vector<std::int64_t> all;
  cells.change([&](std::int64_t offset, Cell&) { all.push_back(offset); });
  return all;
}

}  // namespace

TEST_SUITE("lift.cells") {
  TEST_CASE("cells are where they were made, below zero too") {
    Cells cells;
    cells[kFar].written = 1;
    cells[-1].written = 2;
    cells[0].written = 3;
    CHECK(offsets_of(cells) == std::vector<std::int64_t>{-1, 0, kFar});
    REQUIRE(cells.find(-1) != nullptr);
    CHECK(cells.find(-1)->written == 2);
    CHECK(cells.find(1) == nullptr);
    CHECK(cells.edit(1) == nullptr);
    CHECK(cells.find(kFar - 1) == nullptr);
  }

  TEST_CASE("a copy keeps what it has when the other one changes") {
    Cells cells;
    cells[5].read = 1;
    const Cells before = cells;
    cells.edit(5)->read = 2;
    cells[6].read = 3;
    CHECK(before.find(5)->read == 1);
    CHECK(before.find(6) == nullptr);
    CHECK(cells.find(5)->read == 2);
  }

  TEST_CASE("only cells near a change are looked at again") {
    Cells cells;
    cells[0].read = 1;
    cells[kFar].read = 1;
    const Cells before = cells;
    cells.edit(kFar)->read = 2;
    std::vector<std::int64_t> seen;
    cells.change_unlike(before, [&](std::int64_t offset, Cell&) { seen.push_back(offset); });
    CHECK(seen == std::vector<std::int64_t>{kFar});
    seen.clear();
    const bool same = cells.agrees(before, [&](std::int64_t offset, const Cell& cell) {
      seen.push_back(offset);
      return before.find(offset)->read == cell.read;
    });
    CHECK_FALSE(same);
    CHECK(seen == std::vector<std::int64_t>{kFar});
    CHECK(before.agrees(before, [](std::int64_t, const Cell&) { return false; }));
  }
}

}  // namespace ws::lift
