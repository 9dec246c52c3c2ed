#include "runtime/lift/write/program_variables.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.program_variables") {
  TEST_CASE("variables have names of their own") {
    WritingBench on;
    const ObjectId first = on.variable("sum", 1, 8);
    const ObjectId second = on.variable("sum", 1, 8);
    const ObjectId around = on.variable("acc", 1, 8);
    Object shared;
    shared.kind = ObjectKind::kShared;
    shared.name = "tile";
    on.objects.push_back(shared);
    on.variables.know(around, "acc_");
    CHECK(on.print(on.variables.name_of(first)) == "sum_");
    CHECK(on.print(on.variables.name_of(second)) == "sum__1");
    CHECK(on.print(on.variables.name_of(first)) == "sum_");
    CHECK(on.print(on.variables.name_of(around)) == "acc_");
    CHECK(on.print(on.variables.name_of(3)) == "self.tile");
  }

  TEST_CASE("a tile of a variable's places is the variable, or a part of it") {
    WritingBench on;
    const ObjectId id = on.variable("v", 2, 4);
    const TermId value = on.carried(id, 1);
    const auto text = [&](std::int64_t rows, std::int64_t cols, auto lane) {
      Tile tile{rows, cols, {}};
      for (std::int64_t i = 0; i < rows * cols; ++i) {
        tile.points.push_back({value, static_cast<std::int32_t>(lane(i / cols, i % cols))});
      }
      const Result<TileExpr> made = on.variables.carried(tile);
      return made ? on.print(made->expr) + (made->name ? " whole" : "") : made.error().message;
    };
    const auto upright = [](auto row, auto col) { return row * 4 + col; };
    CHECK(text(2, 4, upright) == "`v` is used after it was given another value");
    on.variables.set_version(id, 1);
    CHECK(text(2, 4, upright) == "v_ whole");
    CHECK(text(4, 2, [](auto row, auto col) { return col * 4 + row; }) == "v_.T");
    CHECK(text(1, 2, [](auto, auto col) { return 5 + col; }) == "v_[1:2, 1:3]");
    CHECK(text(1, 4, [](auto, auto col) { return 3 - col; }) ==
          "`v` is exchanged between threads in an unknown way");
  }

  TEST_CASE("shared tiles have the size that was set") {
    WritingBench on;
    CHECK_FALSE(on.variables.shared_size(0));
    on.variables.set_shared_size(0, {2, 4});
    CHECK(on.variables.shared_size(0) == ProgramVariables::Size(2, 4));
  }
}

}  // namespace
}  // namespace ws::lift
