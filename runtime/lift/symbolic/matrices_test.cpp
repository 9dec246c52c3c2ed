#include "runtime/lift/symbolic/matrices.h"

#include <doctest/doctest.h>

namespace ws::lift {
namespace {

/// A product of a warp whose registers are numbered: argument i of thread l is 100 * l + i.
struct Numbered {
  Terms terms{32};
  Term product;

  Numbered() {
    product.kind = TermKind::kOperation;
    product.op = OwnOp::kMatrixProduct;
    for (std::int64_t i = 0; i < 13; ++i) {
      Lanes own(32);
      for (std::size_t lane = 0; lane < own.size(); ++lane) {
        own[lane] = static_cast<std::int64_t>(lane) * 100 + i;
      }
      product.args.push_back(terms.integer(Poly(own)));
    }
  }

  [[nodiscard]] std::int64_t value(Ref ref) const {
    return lane_of(terms.at(ref.term).poly.constant(), static_cast<std::size_t>(ref.lane));
  }
};

TEST_SUITE("lift.matrices") {
  // With g = lane / 4 and t = lane % 4, a thread holds of the left operand (g, 2t..),
  // (g + 8, 2t..), (g, 2t + 8..), (g + 8, 2t + 8..), of the right one (2t.., g), (2t + 8.., g).
  TEST_CASE("each sum finds its row and its column in the threads that hold them") {
    Numbered numbered;
    for (int slot = 0; slot < 4; ++slot) {
      numbered.product.slot = slot;
      const TermId sum = numbered.terms.add(numbered.product);
      for (std::int32_t lane = 0; lane < 32; ++lane) {
        const std::int64_t row = lane / 4 + slot / 2 * 8;
        const std::int64_t col = lane % 4 * 2 + slot % 2;
        for (std::int64_t k = 0; k < kMatrixDepth; ++k) {
          const std::int64_t left = row % 8 * 4 + k % 8 / 2;
          const std::int64_t right = col * 4 + k % 8 / 2;
          CHECK(numbered.value(left_element(numbered.terms, {sum, lane}, k)) ==
                left * 100 + (row / 8 + k / 8 * 2) * 2 + k % 2);
          CHECK(numbered.value(right_element(numbered.terms, {sum, lane}, k)) ==
                right * 100 + 8 + k / 8 * 2 + k % 2);
        }
      }
    }
  }

  TEST_CASE("products that add to one another are a chain, the first one first") {
    Numbered numbered;
    const TermId first = numbered.terms.add(numbered.product);
    const TermId start = numbered.product.args.back();
    numbered.product.args.back() = first;
    const TermId second = numbered.terms.add(numbered.product);
    const ProductChain chain = chain_of(numbered.terms, {second, 5});
    REQUIRE(chain.products.size() == 2);
    CHECK(chain.products[0] == Ref{first, 5});
    CHECK(chain.products[1] == Ref{second, 5});
    CHECK(chain.start == Ref{start, 5});
    CHECK(numbered.terms.value_hash({first, 5}) != numbered.terms.value_hash({first, 6}));
  }

  TEST_CASE("ldmatrix takes rows from the threads that give their addresses") {
    // Thread 13 of the second warp: row 3, columns 2 and 3 of each matrix.
    const MatrixSource plain = ldmatrix_source(32 + 13, 2, 1, false);
    CHECK(plain.lane == 32 + 16 + 3);
    CHECK(plain.element == 3);
    // Transposed: rows 2 and 3, column 3.
    const MatrixSource turned = ldmatrix_source(32 + 13, 2, 1, true);
    CHECK(turned.lane == 32 + 16 + 3);
    CHECK(turned.element == 3);
    CHECK(ldmatrix_source(13, 0, 0, true).lane == 2);
    CHECK(ldmatrix_source(13, 0, 0, false).element == 2);
  }

  TEST_CASE("only instructions with known fragments are understood") {
    CHECK(is_warp_product("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
    CHECK_FALSE(is_warp_product("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"));
    CHECK_FALSE(is_warp_product("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"));
    CHECK(is_half_product("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"));
    CHECK_FALSE(is_half_product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
    CHECK(is_piece_copy("cp.async.cg.shared.global"));
    CHECK_FALSE(is_piece_copy("cp.async.bulk.tensor.2d.shared::cluster.global.tile"));
    CHECK_FALSE(is_piece_copy("cp.async.commit_group"));
  }

  TEST_CASE("sums of fragments find their row and column, eight neighbours in each thread") {
    Terms terms(64);
    Term product;
    product.kind = TermKind::kOperation;
    product.op = OwnOp::kFragmentProduct;
    for (std::int64_t i = 0; i < 17; ++i) {
      Lanes own(64);
      for (std::size_t lane = 0; lane < own.size(); ++lane) {
        own[lane] = static_cast<std::int64_t>(lane) * 100 + i;
      }
      product.args.push_back(terms.integer(Poly(own)));
    }
    product.slot = 3;
    const TermId sum = terms.add(product);
    const auto value = [&](Ref ref) {
      return lane_of(terms.at(ref.term).poly.constant(), static_cast<std::size_t>(ref.lane));
    };
    // Thread 37 is number 5 of its warp: elements 40 to 47, of which the sum is number 43.
    for (std::int64_t k = 0; k < kMatrixDepth; ++k) {
      const std::int64_t left = 2 * 16 + k;
      const std::int64_t right = k * 16 + 11;
      CHECK(value(left_element(terms, {sum, 37}, k)) == (32 + left / 8) * 100 + left % 8);
      CHECK(value(right_element(terms, {sum, 37}, k)) == (32 + right / 8) * 100 + 8 + right % 8);
    }
  }
}

}  // namespace
}  // namespace ws::lift
