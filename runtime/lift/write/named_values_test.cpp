#include "runtime/lift/write/named_values.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.named_values") {
  TEST_CASE("tiles of the same values have the same hash") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId again = on.own(0);
    const std::uint64_t hash = on.names.tile_hash(WritingBench::tile(x, 1, 8));
    CHECK(on.names.tile_hash(WritingBench::tile(again, 1, 8)) == hash);
    CHECK(on.names.tile_hash(WritingBench::tile(x, 2, 4)) != hash);
    const TermId root = on.terms.operation(ir::Op::kSqrt, DType::kF32, {x});
    CHECK(on.names.tile_hash(WritingBench::tile(root, 1, 8)) != hash);
  }

  TEST_CASE("a value gets one name until names are forgotten") {
    WritingBench on;
    TileExpr made;
    made.expr = on.on.tree.parsed("a + b");
    on.names.open(WritingBench::at(7));
    CHECK(on.print(on.names.named(1, "sum", made).expr) == "sum");
    CHECK(on.print(on.names.named(1, "other", made).expr) == "sum");
    CHECK(on.print(on.names.named(2, "sum", made).expr) == "sum_1");
    CHECK(on.names.find(1)->name);
    on.names.forget();
    CHECK_FALSE(on.names.find(1));
    on.names.widen_open(WritingBench::at(9));
    CHECK(on.names.close().end_line == 9);
    CHECK(on.lines() == "sum = a + b  # @ k.cu:7-7\nsum_1 = a + b  # @ k.cu:7-7\n");
  }

  TEST_CASE("names that mean something in CuIR are changed") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId root = on.terms.operation(ir::Op::kSqrt, DType::kF32, {x});
    const TermId other = on.terms.operation(ir::Op::kExp, DType::kF32, {x});
    CHECK_FALSE(on.names.is_assigned(WritingBench::tile(root, 1, 8)));
    on.terms.note_assigned(root, "max", WritingBench::at(1));
    on.terms.note_assigned(other, "most", WritingBench::at(1));
    CHECK(on.names.is_assigned(WritingBench::tile(root, 1, 8)));
    CHECK(on.names.wanted_name(WritingBench::tile(root, 1, 8)) == "max_now");
    CHECK(on.names.wanted_name(WritingBench::tile(other, 1, 8)) == "most");
  }

  TEST_CASE("a variable stands for the value that it got last") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const Tile tile = WritingBench::tile(x, 1, 8);
    CHECK_FALSE(on.names.held(tile));
    on.names.hold(5, {on.names.tile_hash(tile), 1, 8, on.on.tree.parsed("v")});
    const std::optional<TileExpr> held = on.names.held(tile);
    REQUIRE(held);
    CHECK(on.print(held->expr) == "v");
    on.names.drop(5);
    CHECK_FALSE(on.names.held(tile));
  }
}

}  // namespace
}  // namespace ws::lift
