#include "runtime/compile/spirv/chains.h"

#include "runtime/compile/spirv/kinds.h"

namespace ws::spirv {

Chains::Chains(std::span<const Instruction> instructions, const Types& types)
    : types_(types) {
  bool inside = false;
  for (const Instruction& each : instructions) {
    inside = inside || each.op == Op::kFunction;
    if (inside || is_global_value(each.op)) {
      note_value(each);
    }
    if (is_chain(each.op)) {
      chains_.insert({each.operand(1), &each});
    }
  }
}

void Chains::note_value(const Instruction& instruction) {
  if (instruction.op == Op::kStore || instruction.op == Op::kAtomicStore) {
    written_.insert(instruction.operand(0));
  } else if (is_atomic(instruction.op)) {
    written_.insert(instruction.operand(2));
  }
  if (instruction.operands() >= 2 && has_result(instruction.op)) {
    value_types_.insert({instruction.operand(1), instruction.operand(0)});
  }
}

Id Chains::type_of(Id value) const {
  const auto at = value_types_.find(value);
  return at == value_types_.end() ? 0 : at->second;
}

const Instruction* Chains::outer(const Instruction& chain) const {
  const auto at = chains_.find(chain.operand(kBase));
  return at == chains_.end() ? nullptr : at->second;
}

Id Chains::variable_of(const Instruction& chain) const {
  const Instruction* last = &chain;
  for (const Instruction* next = outer(chain); next != nullptr; next = outer(*next)) {
    last = next;
  }
  return last->operand(kBase);
}

std::string Chains::name_of(Id variable) const {
  const Id type = types_.pointee(type_of(variable));
  const Instruction* const block = types_.find(type);
  const bool nameless = types_.name(variable).empty() && block != nullptr &&
                        block->op == Op::kTypeStruct && block->operands() > 1;
  return nameless ? types_.member_name(type, static_cast<std::uint32_t>(block->operands() - 2))
                  : types_.name(variable);
}

bool Chains::is_written(const Instruction& chain) const {
  return written_.contains(chain.operand(1));
}

}  // namespace ws::spirv
