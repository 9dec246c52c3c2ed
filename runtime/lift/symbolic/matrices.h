// Products by warps, mma.sync.m16n8k16, as terms: a term stands for one of a thread's four sums and
// has as operands the thread's own registers, though it is made of those of other threads.
#pragma once

#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {

// Such a sum has the operation OwnOp::kMatrixProduct; Term::slot says which sum it is. Term::args:
// eight elements of the left operand, four of the right one, and what is added to.
inline constexpr std::int64_t kMatrixDepth = 16;
inline constexpr std::size_t kLeftElements = 8;
inline constexpr std::size_t kRightElements = 4;

/// cp.async of 4 to 16 bytes, by each thread.
[[nodiscard]] bool is_piece_copy(std::string_view instruction);
/// A product by each warp that is understood: mma.sync of 16 x 8 x 16.
[[nodiscard]] bool is_warp_product(std::string_view instruction);

[[nodiscard]] inline bool is_matrix_product(const Term& term) {
  return term.kind == TermKind::kOperation && term.op == OwnOp::kMatrixProduct;
}

/// Element `k` of the row that a product's left operand has for it. @param product  A matrix
/// product in one thread.
[[nodiscard]] Ref left_element(const Terms& terms, Ref product, std::int64_t k);
/// The same of the right operand's column.
[[nodiscard]] Ref right_element(const Terms& terms, Ref product, std::int64_t k);

/// The products that add to one another, the first one first, and what that is added to.
struct ProductChain {
  std::vector<Ref> products;
  Ref start;
};

[[nodiscard]] ProductChain chain_of(const Terms& terms, Ref product);

/// The thread of a warp, and which of its two halves, that ldmatrix takes register `matrix`'s half
/// from: an address and an element after it.
struct MatrixSource {
  std::size_t lane = 0;
  std::int64_t element = 0;
};

[[nodiscard]] MatrixSource ldmatrix_source(std::size_t lane, std::size_t matrix, std::int64_t half,
                                           bool transposed);

}  // namespace ws::lift
