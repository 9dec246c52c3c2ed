#include "runtime/compile/spirv/uses.h"

namespace ws::spirv {
Uses::Uses(std::span<const Instruction> instructions, const Types& types) {
  bool inside = false;
  for (const Instruction& each : instructions) {
    inside = inside || each.op == Op::kFunction;
    if (!inside || each.op == Op::kLine) {
      continue;
    }
    const Id base = each.operand(kBase);
    if (each.op == Op::kAccessChain || each.op == Op::kInBoundsAccessChain) {
      variables_.insert(base);
      if (const auto member = types.constant(each.operand(kFirstIndex))) {
        members_.insert({base, *member});
      } else {
        whole_.insert(base);
      }
      continue;
    }
    for (std::size_t at = 0; at < each.operands(); ++at) {
      const Instruction* const maker = types.find(each.operand(at));
      if (maker != nullptr && maker->op == Op::kVariable) {
        variables_.insert(each.operand(at));
        if (each.op != Op::kArrayLength) {
          whole_.insert(each.operand(at));
        }
      }
    }
  }
}

}  // namespace ws::spirv
