// One instruction that the table knows, with its operands: what the functions that make code get.
#pragma once

#include <vector>

#include "runtime/compile/clang/ptx/machine.h"

namespace ws::clang_engine::ptx {

struct Row;

/// A statement's opcode, taken apart and found in the table.
struct Instruction {
  const Row* row = nullptr;
  Modifiers modifiers;
  std::vector<Type> types;
  const Statement* text = nullptr;
};

class Step {
 public:
  Step(Machine& machine, const Instruction& instruction)
      : machine(machine),
        b(machine.builder()),
        instruction_(instruction) {}

  /// Whether the instruction has this modifier.
  [[nodiscard]] bool has(Modifier modifier) const { return instruction_.modifiers.has(modifier); }

  [[nodiscard]] Modifiers modifiers() const { return instruction_.modifiers; }

  /// The only type, or the first one.
  [[nodiscard]] Type type() const { return instruction_.types.front(); }

  /// The last type: where there are two, that of the sources.
  [[nodiscard]] Type source_type() const { return instruction_.types.back(); }

  [[nodiscard]] std::size_t operands() const { return instruction_.text->operands.size(); }

  [[nodiscard]] const Operand& operand(std::size_t index) const {
    return instruction_.text->operands[index];
  }

  [[nodiscard]] const Statement& text() const { return *instruction_.text; }

  llvm::Value* in(std::size_t index) { return in(index, source_type()); }

  llvm::Value* in(std::size_t index, Type type) { return machine.read(operand(index), type); }

  /// Writes the destination.
  void out(llvm::Value* value) { machine.write(operand(0), value, is_signed(type())); }

  llvm::Value* constant(std::uint64_t value) { return b.getIntN(bits_of(source_type()), value); }

  llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* a) {
    return b.CreateUnaryIntrinsic(id, a);
  }

  llvm::Value* binary(llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* c) {
    return b.CreateBinaryIntrinsic(id, a, c);
  }

  Machine& machine;      // NOLINT(misc-non-private-member-variables-in-classes)
  llvm::IRBuilder<>& b;  // NOLINT(misc-non-private-member-variables-in-classes)

 private:
  const Instruction& instruction_;
};

}  // namespace ws::clang_engine::ptx
