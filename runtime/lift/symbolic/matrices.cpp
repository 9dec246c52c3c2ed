// Layouts of PTX ISA: Matrix fragments for mma.m16n8k16, and ldmatrix.
#include "runtime/lift/symbolic/matrices.h"

#include <algorithm>

#include "runtime/base/units.h"

namespace ws::lift {
namespace {

/// The thread that has column `k` of row `group` of an operand, and the other way round.
std::int32_t holder(std::int32_t lane, std::int64_t group, std::int64_t k) {
  return lane - lane % kWarpSize + static_cast<std::int32_t>(group * 4 + k % 8 / 2);
}

bool has_fragments(const Tree& tree) {
  return std::ranges::any_of(tree.nodes, [](const Node& node) {
    return node.kind == NodeKind::kCall && node.text.starts_with(kWmma);
  });
}

bool has_assembly(const Tree& tree, std::string_view part) {
  return std::ranges::any_of(tree.nodes, [&](const Node& node) {
    return node.kind == NodeKind::kAsm && node.text.find(part) != std::string::npos;
  });
}

/// An element of a fragment of wmma: the thread of `lane`'s warp that has it, and which argument of
/// that thread's product it is, behind `before` others.
Ref in_fragment(const Terms& terms, Ref product, std::size_t before, std::int64_t row,
                std::int64_t col) {
  const std::int64_t at = row * kFragmentSize + col;
  const auto each = static_cast<std::int64_t>(kFragmentElements);
  const auto lane = static_cast<std::int32_t>(at / each);
  const std::size_t arg = before + static_cast<std::size_t>(at % each);
  return terms.resolve(
      {terms.at(product.term).args[arg], product.lane - product.lane % kWarpSize + lane});
}

/// Row and column of a thread's sum by wmma.
std::pair<std::int64_t, std::int64_t> fragment_place(const Term& term, std::int32_t lane) {
  const std::int64_t at =
      lane % kWarpSize * static_cast<std::int64_t>(kFragmentElements) + term.slot;
  return {at / kFragmentSize, at % kFragmentSize};
}

}  // namespace

bool works_by_warps(const Tree& tree) {
  return has_fragments(tree) || has_assembly(tree, "ldmatrix.") || has_assembly(tree, "mma.sync.");
}

bool has_warp_values(const Tree& tree) {
  return works_by_warps(tree) || has_assembly(tree, "cp.async.");
}

bool has_value_products(const Tree& tree) {
  return has_fragments(tree) || has_assembly(tree, ".f16.f16.f16.f16");
}

bool is_piece_copy(std::string_view instruction) {
  return instruction.starts_with("cp.async.ca.") || instruction.starts_with("cp.async.cg.");
}

bool is_warp_product(std::string_view instruction) {
  return instruction == "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" ||
         instruction == "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
}

bool is_half_product(std::string_view instruction) {
  return instruction == "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
}

Ref left_element(const Terms& terms, Ref product, std::int64_t k) {
  const Term& term = terms.at(product.term);
  if (term.op == OwnOp::kFragmentProduct) {
    return in_fragment(terms, product, 0, fragment_place(term, product.lane).first, k);
  }
  const std::int64_t down = term.slot / 2;  // Whether it is of a row of the lower eight.
  const std::int64_t at = (down + k / 8 * 2) * 2 + k % 2;
  return terms.resolve({term.args[static_cast<std::size_t>(at)],
                        holder(product.lane, product.lane % kWarpSize / 4, k)});
}

Ref right_element(const Terms& terms, Ref product, std::int64_t k) {
  const Term& term = terms.at(product.term);
  if (term.op == OwnOp::kFragmentProduct) {
    return in_fragment(terms, product, kFragmentElements, k,
                       fragment_place(term, product.lane).second);
  }
  const std::int64_t column = product.lane % 4 * 2 + term.slot % 2;
  const std::size_t at = kLeftElements + static_cast<std::size_t>(k / 8 * 2 + k % 2);
  return terms.resolve({term.args[at], holder(product.lane, column, k)});
}

std::pair<std::int64_t, std::int64_t> place_of(const Terms& terms, Ref product) {
  const Term& term = terms.at(product.term);
  if (term.op == OwnOp::kFragmentProduct) {
    return fragment_place(term, product.lane);
  }
  const std::int64_t lane = product.lane % kWarpSize;
  return {lane / 4 + term.slot / 2 * 8, lane % 4 * 2 + term.slot % 2};
}

ProductChain chain_of(const Terms& terms, Ref product) {
  ProductChain chain;
  chain.start = terms.resolve(product);
  while (chain.start.term != kNone && is_matrix_product(terms.at(chain.start.term))) {
    chain.products.push_back(chain.start);
    chain.start = terms.resolve({terms.at(chain.start.term).args.back(), chain.start.lane});
  }
  std::reverse(chain.products.begin(), chain.products.end());
  return chain;
}

MatrixSource ldmatrix_source(std::size_t lane, std::size_t matrix, std::int64_t half,
                             bool transposed) {
  const std::size_t own = lane % kWarpSize;
  const std::size_t row = transposed ? own % 4 * 2 + static_cast<std::size_t>(half) : own / 4;
  const auto column = transposed ? static_cast<std::int64_t>(own / 4)
                                 : static_cast<std::int64_t>(own % 4 * 2) + half;
  return {lane - own + matrix * 8 + row, column};
}

}  // namespace ws::lift
