// Copies of boxes and products of tiles, and the arrays in shared memory and registers that they
// work on.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/lift/orchestration/skeleton.h"

namespace ws::lift {
namespace {

constexpr std::int64_t kDepth = 16;

DType operand_type(const std::string& instruction) {
  return instruction.find(".bf16") != std::string::npos ? DType::kBf16 : DType::kF16;
}

}  // namespace

/// The left operand: 64 rows in shared memory, or registers.
std::string Skeleton::left_operand(const Instruction& parts, std::size_t at, const Node& node,
                                   std::int64_t depth) {
  if (parts.at(at).words.size() == 1) {
    const MemoryPlace place = shared_place(parts, at, node);
    const SharedArray* array = buffers_.find(place.base);
    if (array != nullptr) {
      buffers_.use(place.base);
    }
    return array == nullptr ? "" : part_text(place, *array, kProductRows, depth);
  }
  const NodeId first = operand_node(node, parts.first_word(at));
  if (first == kNone) {
    return {};
  }
  const Node& element = tree_.node(first);
  const std::string registers = element.kind == NodeKind::kIndex ? texts_.of(element.kids[0]) : "";
  return tiles_.operand(registers, depth, operand_type(parts.name));
}

/// wgmma.mma_async: 64 rows by n columns, 16 deep. False: another instruction.
bool Skeleton::product(const std::string& instruction, const Node& node) {
  const Instruction parts = take_apart(instruction);
  if (!parts.name.starts_with("wgmma.mma_async")) {
    return false;
  }
  const std::int64_t cols = shape_number(parts.name, 'n');
  const std::int64_t depth = shape_number(parts.name, 'k');
  const NodeId first = operand_node(node, parts.first_word(0));
  std::string sum;
  std::string left;
  if (first != kNone && parts.operands.size() > 2 && depth == kDepth) {
    const bool is_element = tree_.node(first).kind == NodeKind::kIndex;
    sum = is_element ? tiles_.sums(texts_.of(first), cols) : "";
    left = left_operand(parts, 1, node, depth);
  }
  const MemoryPlace place = shared_place(parts, 2, node);
  const SharedArray* array = buffers_.find(place.base);
  const std::string scale = texts_.operand(parts, 3, node);
  const std::string& adds = scale.empty() ? scale_ : scale;
  if (sum.empty() || left.empty() || array == nullptr || array->dims.size() < 2 || adds.empty()) {
    draft_.lost(node.range, parts.name,
                adds.empty() ? "whether it adds to what its sums held depends on data"
                             : "a product of operands that are no parts of arrays");
    return true;
  }
  const std::string accumulate = adds == "1"   ? ""
                                 : adds == "0" ? ", accumulate=False"
                                               : ", accumulate=(" + adds + ") != 0";
  buffers_.use(place.base);
  draft_.set_known(place_of(sum).base);
  // The last immediate says whether the right operand lies in rows of n.
  const bool registers = parts.operands[1].words.size() > 1;
  const std::size_t immediates = registers ? 7 : 8;
  const bool rows_of_n =
      parts.operands.size() == immediates && texts_.operand(parts, immediates - 1, node) == "1";
  const std::int64_t width = array->dims.back();
  if (!rows_of_n) {
    draft_.line("gemm_async(" + left + ", " + part_text(place, *array, cols, depth) +
                    ".T, acc=" + sum + accumulate + ")",
                node.range);
    return true;
  }
  // Columns beyond the array's last dimension lie in its next panels.
  const std::int64_t panels = cols <= width ? 1 : cols / width;
  if (panels > 1 && (array->dims.size() < 3 || cols % width != 0)) {
    draft_.lost(node.range, parts.name, "a right operand that is wider than its array");
    return true;
  }
  for (std::int64_t i = 0; i < panels; ++i) {
    MemoryPlace panel = place;
    panel.indices.resize(array->dims.size(), "0");
    if (i > 0) {
      std::string& index = panel.indices[array->dims.size() - 3];
      index = index == "0" ? std::to_string(i) : "(" + index + ") + " + std::to_string(i);
    }
    const std::string part = panels == 1 ? sum
                                         : sum + "[:, " + std::to_string(i * width) + ":" +
                                               std::to_string((i + 1) * width) + "]";
    draft_.line("gemm_async(" + left + ", " +
                    part_text(panel, *array, depth, std::min(cols, width)) + ", acc=" + part +
                    accumulate + ")",
                node.range);
  }
  return true;
}

}  // namespace ws::lift
