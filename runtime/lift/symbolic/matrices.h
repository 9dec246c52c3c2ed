// Products by warps, mma.sync.m16n8k16 and wmma of 16 x 16 x 16, as terms: a term stands for one of
// a thread's sums and has as operands the thread's own registers, though it is made of those of
// other threads.
#pragma once

#include <string_view>
#include <utility>

#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {

// A sum by mma.sync has the operation OwnOp::kMatrixProduct, one by wmma OwnOp::kFragmentProduct;
// Term::slot says which sum it is. Term::args: eight elements of the left operand, four of the
// right one (eight by wmma), and what is added to. A fragment's elements lie row by row over the
// lanes, eight neighbours in each, as on the CPU engine: PTX ISA leaves it open, so that no program
// may depend on it.
inline constexpr std::int64_t kMatrixDepth = 16;
inline constexpr std::size_t kLeftElements = 8;
inline constexpr std::size_t kRightElements = 4;
/// A fragment of wmma: its elements in one thread, its rows and its columns.
inline constexpr std::size_t kFragmentElements = 8;
inline constexpr std::int64_t kFragmentSize = 16;
/// How the names of functions on fragments begin.
inline constexpr std::string_view kWmma = "nvcuda::wmma::";

/// Whether a kernel has instructions that all threads of a warp execute together, products or loads
/// of their operands.
[[nodiscard]] bool works_by_warps(const Tree& tree);
/// Whether it has these, or copies by cp.async.
[[nodiscard]] bool has_warp_values(const Tree& tree);
/// Whether it has products that no skeleton has: of fragments, or with sums in halves.
[[nodiscard]] bool has_value_products(const Tree& tree);

/// cp.async of 4 to 16 bytes, by each thread.
[[nodiscard]] bool is_piece_copy(std::string_view instruction);
/// A product by each warp that is understood: mma.sync of 16 x 8 x 16 with sums in float.
[[nodiscard]] bool is_warp_product(std::string_view instruction);
/// The same with sums in halves, two in a register: each instruction rounds them.
[[nodiscard]] bool is_half_product(std::string_view instruction);

[[nodiscard]] inline bool is_matrix_product(const Term& term) {
  return term.kind == TermKind::kOperation &&
         (term.op == OwnOp::kMatrixProduct || term.op == OwnOp::kFragmentProduct);
}

/// Element `k` of the row that a product's left operand has for it. @param product  A matrix
/// product in one thread.
[[nodiscard]] Ref left_element(const Terms& terms, Ref product, std::int64_t k);
/// The same of the right operand's column.
[[nodiscard]] Ref right_element(const Terms& terms, Ref product, std::int64_t k);

/// Row and column of a product in what its warp computes by one instruction.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> place_of(const Terms& terms, Ref product);

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
