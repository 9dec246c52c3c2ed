// The state of one inline `asm` while its statements become LLVM IR: its operands, its registers,
// and the place where code is made.
#pragma once

#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

#include "runtime/compile/clang/ptx/modifier.h"
#include "runtime/compile/clang/ptx/syntax.h"

namespace ws::clang_engine::ptx {

/// The memory that an address counts in. Those that are not shared have generic addresses here.
enum class Space : std::uint8_t { kGeneric, kShared };

class Machine {
 public:
  /// Code is made before `call`.
  Machine(llvm::CallInst& call, const Program& program, Complaint& complaint);

  llvm::IRBuilder<>& builder() { return builder_; }

  [[nodiscard]] llvm::Module& module() const { return *call_.getModule(); }

  [[nodiscard]] bool good() const { return complaint_.message.empty(); }

  /// @param syntax  It is no PTX at all, on any device.
  void complain(std::string message, bool syntax = false);

  /// The operand's value as llvm_type(type).
  /// @param wider  It may be a register of more bits, of which the lower ones count.
  llvm::Value* read(const Operand& operand, Type type, bool wider = false);
  /// Integers are extended to the register's bits where they have less.
  void write(const Operand& operand, llvm::Value* value, bool sign = false);
  /// The register's bits; 0 for a number.
  [[nodiscard]] unsigned register_bits(const Operand& operand) const;
  /// A generic address.
  llvm::Value* pointer(const Operand& operand, Space space);
  /// The first byte of the block's shared memory.
  llvm::Value* shared_base();

  /// Calls a function of the worker.
  llvm::CallInst* call(const char* name, llvm::Type* result,
                       const std::vector<llvm::Value*>& arguments);

  /// Runs `make` where `condition` is true, at run time.
  void when(llvm::Value* condition, llvm::function_ref<void()> make);
  /// The contents of all registers, as integers.
  std::vector<llvm::Value*> registers();
  void set_registers(const std::vector<llvm::Value*>& values);
  /// The asm statement's outputs as one value; null when there are none.
  llvm::Value* result();

 private:
  /// An operand of the asm statement, or a register.
  struct Place {
    unsigned bits = 0;  ///< 0: a constant.
    llvm::Value* value = nullptr;
  };

  [[nodiscard]] Place* place_of(const Operand& operand);
  llvm::Value* number(const Operand& operand, Type type);
  llvm::Value* raw(const Operand& operand, Type type, bool wider);
  llvm::Value* as_integer(llvm::Value* value, unsigned bits, bool sign = false);

  llvm::CallInst& call_;
  const Program& program_;
  Complaint& complaint_;
  llvm::IRBuilder<> builder_;
  std::vector<Place> arguments_;
  std::vector<Place> registers_;
  std::vector<unsigned> outputs_;  ///< Arguments, in the order of the results.
};

}  // namespace ws::clang_engine::ptx
