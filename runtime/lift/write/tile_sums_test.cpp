#include "runtime/lift/write/tile_sums.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

/// The value of all threads that `op` makes of each thread's own, by a tree of exchanges.
TermId over_threads(WritingBench& on, TermOp op, TermId own) {
  for (std::int32_t step = 4; step > 0; step /= 2) {
    std::vector<Ref> sources;
    for (std::int32_t lane = 0; lane < WritingBench::kLanes; ++lane) {
      sources.push_back({own, lane ^ step});
    }
    own = on.terms.operation(op, DType::kF32, {own, on.terms.move(DType::kF32, sources)});
  }
  return own;
}

TEST_SUITE("lift.tile_sums") {
  TEST_CASE("what threads exchange is a reduction, which gets a name") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId sum = over_threads(on, ir::Operator::kAdd, x);
    CHECK(on.text(WritingBench::tile(sum, 1, 1)) == "total");
    CHECK(on.text(WritingBench::tile(sum, 1, 8)) == "total");
    CHECK(on.text(WritingBench::tile(over_threads(on, ir::Op::kMaximum, x), 1, 1)) == "most");
    CHECK(on.text(WritingBench::tile(over_threads(on, ir::Op::kMinimum, x), 1, 1)) == "least");
    CHECK(on.lines() ==
          "total = sum(self.x[0:8][None, :], 1, keepdim=True)\n"
          "most = max(self.x[0:8][None, :], 1, keepdim=True)\n"
          "least = min(self.x[0:8][None, :], 1, keepdim=True)\n");
  }

  TEST_CASE("sums of products by row and column are products of matrices") {
    WritingBench on;
    const ObjectId a = on.tensor("a", {Poly(4), Poly(16)});
    const ObjectId b = on.tensor("b", {Poly(16), Poly(2)});
    const auto step = [&](std::int64_t k) {
      const Poly left = WritingBench::by_lane([&](auto lane) { return lane / 2 * 16 + k; });
      const Poly right = WritingBench::by_lane([&](auto lane) { return k * 2 + lane % 2; });
      return on.terms.operation(ir::Operator::kMultiply, DType::kF32,
                                {on.load(a, left), on.load(b, right)});
    };
    TermId sum = step(0);
    for (std::int64_t k = 1; k < 16; ++k) {
      sum = on.terms.operation(ir::Operator::kAdd, DType::kF32, {sum, step(k)});
    }
    CHECK(on.text(WritingBench::tile(sum, 4, 2)) == "mma(self.a[0:4, 0:16], self.b[0:16, 0:2])");
    const ObjectId acc = on.variable("acc", 4, 2);
    on.variables.know(acc, "acc");
    const TermId more = on.terms.operation(ir::Operator::kAdd, DType::kF32, {on.carried(acc), sum});
    CHECK(on.text(WritingBench::tile(more, 4, 2)) ==
          "mma(self.a[0:4, 0:16], self.b[0:16, 0:2], acc)");
  }

  TEST_CASE("few terms are added one after the other") {
    WritingBench on;
    const TermId x = on.own(on.tensor("x", {Poly(8)}));
    const TermId y = on.own(on.tensor("y", {Poly(8)}));
    const TermId sum = on.terms.operation(ir::Operator::kAdd, DType::kF32, {x, y});
    CHECK(on.text(WritingBench::tile(sum, 1, 8)) == "self.x[0:8][None, :] + self.y[0:8][None, :]");
  }
}

}  // namespace
}  // namespace ws::lift
