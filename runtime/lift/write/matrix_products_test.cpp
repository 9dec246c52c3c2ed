#include "runtime/lift/write/matrix_products.h"

#include "runtime/lift/write/test_writing.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kWarp = 32;

/// A warp's products of 16 x depth by depth x 8 numbers, by mma.sync.
struct WarpProducts : WritingBench {
  std::int64_t depth;
  ObjectId a;
  ObjectId b;

  explicit WarpProducts(std::int64_t steps)
      : WritingBench(kWarp),
        depth(steps * 16),
        a(tensor("a", {Poly(16), Poly(depth)})),
        b(tensor("b", {Poly(depth), Poly(8)})) {}

  /// The element that each thread has where its own row or column of the operand is g = lane / 4,
  /// and its own step 2 * (lane % 4). @param at  Its offset, by these two.
  template <typename F>
  TermId element(ObjectId of, F at) {
    Lanes lanes;
    for (std::int64_t lane = 0; lane < kWarp; ++lane) {
      lanes.push_back(at(lane / 4, lane % 4 * 2));
    }
    return load(of, Poly(lanes));
  }

  /// Sum number `slot` of each thread after the product's step. PTX ISA: m16n8k16.
  TermId product(TermId sum, int slot, std::int64_t step, DType type) {
    Term made;
    made.kind = TermKind::kOperation;
    made.op = OwnOp::kMatrixProduct;
    made.type = type;
    made.slot = slot;
    const std::int64_t first = step * 16;
    for (std::int64_t i = 0; i < 8; ++i) {
      made.args.push_back(element(a, [&](std::int64_t g, std::int64_t t) {
        return (g + i / 2 % 2 * 8) * depth + first + t + i / 4 * 8 + i % 2;
      }));
    }
    for (std::int64_t i = 0; i < 4; ++i) {
      made.args.push_back(element(b, [&](std::int64_t g, std::int64_t t) {
        return (first + t + i / 2 * 8 + i % 2) * 8 + g;
      }));
    }
    made.args.push_back(sum);
    return terms.add(made);
  }

  /// The tile of the sums. @param start  Before all steps.
  std::string sums(TermId start, DType type = DType::kF32) {
    std::vector<TermId> slots;
    for (int slot = 0; slot < 4; ++slot) {
      TermId sum = start;
      for (std::int64_t step = 0; step < depth / 16; ++step) {
        sum = product(sum, slot, step, type);
      }
      slots.push_back(sum);
    }
    Tile tile{16, 8, {}};
    for (std::int64_t row = 0; row < 16; ++row) {
      for (std::int64_t col = 0; col < 8; ++col) {
        tile.points.push_back({slots[static_cast<std::size_t>(row / 8 * 2 + col % 2)],
                               static_cast<std::int32_t>(row % 8 * 4 + col / 2)});
      }
    }
    return text(tile);
  }
};

TEST_SUITE("lift.matrix_products") {
  TEST_CASE("a chain of products is one product of tiles") {
    WarpProducts on(2);
    CHECK(on.sums(on.terms.number(0, DType::kF32)) ==
          "gemm(self.a[0:16, 0:32], self.b[0:32, 0:8], \"mma.sync\")");
    CHECK(on.sums(on.terms.number(1, DType::kF32)) ==
          "gemm(self.a[0:16, 0:32], self.b[0:32, 0:8], \"mma.sync\", acc=full((16, 8), 1.0, "
          "\"f32\"))");
  }

  TEST_CASE("sums in halves are rounded after each product") {
    WarpProducts on(2);
    CHECK(on.sums(on.terms.number(0, DType::kF16), DType::kF16) ==
          "gemm(self.a[0:16, 16:16 + 16], self.b[16:16 + 16, 0:8], \"mma.sync\", "
          "acc=gemm(self.a[0:16, 0:16], self.b[0:16, 0:8], \"mma.sync\", "
          "acc=full((16, 8), 0.0, \"f16\")))");
  }
}

}  // namespace
}  // namespace ws::lift
