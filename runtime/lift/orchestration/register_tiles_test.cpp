#include "runtime/lift/orchestration/register_tiles.h"

#include <doctest/doctest.h>

namespace ws::lift {

TEST_SUITE("lift.register_tiles") {
  TEST_CASE(
      "the sums of a product are an array, or the part of it that the first register begins") {
    RegisterTiles tiles;
    tiles.declare("acc", {2, 8, 8});
    CHECK(tiles.sums("acc[1][0][0]", 128) == "acc[:, (1) * 128:(1) * 128 + 128]");
    REQUIRE(tiles.contains("acc"));
    CHECK(tiles.find("acc")->shape() == "(64, 256)");
    tiles.declare("d", {64});
    CHECK(tiles.sums("d[0]", 128) == "d");
    CHECK(tiles.find("d")->shape() == "(64, 128)");
  }

  TEST_CASE("registers that are no whole part of an array are no tile") {
    RegisterTiles tiles;
    tiles.declare("acc", {8, 8});
    CHECK(tiles.sums("acc[1][0]", 128).empty());
    CHECK(tiles.sums("other[0]", 128).empty());
    CHECK(tiles.sums("self.s[0]", 128).empty());
    CHECK_FALSE(tiles.contains("acc"));
    tiles.declare("few", {3});
    CHECK(tiles.sums("few[0]", 128).empty());
  }

  TEST_CASE("left operands have a step of registers for each 16 of a product's depth") {
    RegisterTiles tiles;
    CHECK(tiles.operand("a[2]", 16, DType::kBf16) == "a[:, (2) * 16:(2) * 16 + 16]");
    CHECK(tiles.operand("a", 16, DType::kBf16).empty());
    tiles.set_steps("a", 4);
    CHECK(tiles.find("a")->shape() == "(64, 64)");
    CHECK(tiles.find("a")->type == DType::kBf16);
    CHECK(tiles.all({128, 1, 1}).empty());
  }

  TEST_CASE("numbers of rows lie as the rows of a block's tile do") {
    RegisterTiles tiles;
    CHECK_FALSE(tiles.rows_layout(2).has_value());
    // Two threads, of which each has two registers in two rows.
    tiles.set_layout("acc", {4, 8, {{0, 8}, {16, 24}}});
    CHECK(tiles.has_block_tiles());
    const auto layout = tiles.rows_layout(2);
    REQUIRE(layout.has_value());
    CHECK(layout->rows == 4);
    CHECK(layout->cols == 1);
    CHECK(layout->places == std::vector<std::vector<std::int64_t>>{{0, 1}, {2, 3}});
    CHECK_FALSE(tiles.rows_layout(1).has_value());
    tiles.set_rows("m", 2);
    CHECK(tiles.rows("m") == 2);
    CHECK_FALSE(tiles.rows("acc").has_value());
    const std::vector<RegisterTile> all = tiles.all({2, 1, 1});
    REQUIRE(all.size() == 1);
    CHECK(all[0].name == "acc");
    CHECK(all[0].rows == 4);
    CHECK(tiles.all({1, 2, 1}).empty());
  }
}

}  // namespace ws::lift
