#include "runtime/lift/write/tile_expressions.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

TEST_SUITE("lift.tile_expressions") {
  TEST_CASE("operations of all threads are operations of tiles") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId two = on.terms.number(2, DType::kF32);
    const auto text = [&](TermOp op, DType type, std::vector<TermId> args) {
      return on.text(WritingBench::tile(on.terms.operation(op, type, std::move(args)), 1, 8));
    };
    CHECK(text(ir::Operator::kDivide, DType::kF32, {x, two}) == "self.x[0:8][None, :] / 2.0");
    CHECK(text(ir::Op::kExp, DType::kF32, {x}) == "exp(self.x[0:8][None, :])");
    CHECK(text(ir::Operator::kNegate, DType::kF32, {x}) == "-self.x[0:8][None, :]");
    CHECK(text(ir::Op::kCast, DType::kF16, {x}) == "to(self.x[0:8][None, :], \"f16\")");
    CHECK(text(ir::Op::kCast, DType::kF64, {two}) == "float(2.0)");
    CHECK(text(ir::Op::kMaximum, DType::kF32, {x, two}) == "maximum(self.x[0:8][None, :], 2.0)");
    const TermId less = on.terms.operation(ir::Operator::kLess, DType::kBool, {x, two});
    CHECK(text(ir::Operator::kAnd, DType::kBool, {less, less}) ==
          "(self.x[0:8][None, :] < 2.0) & (self.x[0:8][None, :] < 2.0)");
    CHECK(text(ir::Operator::kNot, DType::kBool, {less}) == "(self.x[0:8][None, :] < 2.0) == 0");
    CHECK(text(ir::Op::kWhere, DType::kF32, {less, x, two}) ==
          "where(self.x[0:8][None, :] < 2.0, self.x[0:8][None, :], 2.0)");
  }

  TEST_CASE("elements that are computed in different ways are no tile") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    Tile tile = WritingBench::tile(x, 1, 8);
    tile.points[3] = {on.terms.number(1, DType::kF32), 3};
    CHECK(on.text(tile) == "elements of a tile that are computed in different ways");
    for (int i = 0; i < 8; ++i) {
      tile.points[static_cast<std::size_t>(i)] = {on.terms.number(i, DType::kF32), i};
    }
    CHECK(on.text(tile) == "constants that differ from element to element");
    tile.points[0].term = kNone;
    CHECK(on.text(tile) == "a value that some threads do not have");
  }

  TEST_CASE("a value that the kernel names is a statement at its line, once") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId root = on.terms.operation(ir::Op::kSqrt, DType::kF32, {x});
    on.terms.note_assigned(root, "r", WritingBench::at(4));
    const TermId twice = on.terms.operation(ir::Operator::kMultiply, DType::kF32, {root, root});
    CHECK(on.text(WritingBench::tile(twice, 1, 8)) == "r * r");
    CHECK(on.lines() == "r = sqrt(self.x[0:8][None, :])  # @ k.cu:4-4\n");
    on.names.forget();
    CHECK(on.text(WritingBench::tile(root, 1, 8)) == "r_1");
    on.names.forget();
    on.names.open({});
    const Result<TileExpr> own = on.values.statement(WritingBench::tile(root, 1, 8));
    REQUIRE(own);
    CHECK(on.print(own->expr) == "sqrt(self.x[0:8][None, :])");
    CHECK(on.names.close().line == 4);
  }

  TEST_CASE("a choice between an element and zero is a padded load at the tensor's edge") {
    WritingBench on;
    const ObjectId x = on.tensor("x", {on.n});
    const Poly block = Poly::of(on.symbols.intern("blockIdx.x")).times(Poly(8));
    const Poly index = WritingBench::by_lane([](std::int64_t lane) { return lane; }, block);
    const TermId inside = on.terms.operation(ir::Operator::kLess, DType::kBool,
                                             {on.terms.integer(index), on.terms.integer(on.n)});
    const auto padded = [&](double pad) {
      return on.text(WritingBench::tile(
          on.terms.operation(ir::Op::kWhere, DType::kF32,
                             {inside, on.load(x, index), on.terms.number(pad, DType::kF32)}),
          1, 8));
    };
    CHECK(padded(0) == "load(self.x, blockIdx.x, (8,))[None, :]");
    CHECK(padded(1) == "load(self.x, blockIdx.x, (8,), \"one\")[None, :]");
    CHECK(padded(2).starts_with("where(arange(8)[None, :] + blockIdx.x * 8 < self.n, "));
  }
}

}  // namespace
}  // namespace ws::lift
