#include "runtime/compile/spirv/kinds.h"

#include <algorithm>
#include <array>

namespace ws::spirv {

bool is_atomic(Op op) {
  constexpr auto kFirst = static_cast<std::uint32_t>(Op::kAtomicStore);
  constexpr std::uint32_t kLast = 242;  // OpAtomicXor; OpAtomicLoad comes before the first.
  const auto number = static_cast<std::uint32_t>(op);
  return number >= kFirst && number <= kLast;
}

bool has_result(Op op) {
  constexpr std::array kWithout = {Op::kNoLine,
                                   Op::kLine,
                                   Op::kStore,
                                   Op::kCopyMemory,
                                   Op::kControlBarrier,
                                   Op::kMemoryBarrier,
                                   Op::kAtomicStore,
                                   Op::kLoopMerge,
                                   Op::kSelectionMerge,
                                   Op::kBranch,
                                   Op::kBranchConditional,
                                   Op::kSwitch,
                                   Op::kReturnValue,
                                   Op::kLabel};
  return std::ranges::find(kWithout, op) == kWithout.end();
}

bool is_global_value(Op op) {
  constexpr std::array kValues = {Op::kUndef,        Op::kConstant,       Op::kConstantNull,
                                  Op::kSpecConstant, Op::kSpecConstantOp, Op::kVariable};
  return std::ranges::find(kValues, op) != kValues.end();
}

bool is_chain(Op op) {
  return op == Op::kAccessChain || op == Op::kInBoundsAccessChain;
}

}  // namespace ws::spirv
