// A module to which types, constants, variables and functions are added.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/compile/spirv/types.h"

namespace ws::spirv {

void append(Words& into, const Words& words);

/// An instruction's words.
Words instruction(Op op, std::span<const std::uint32_t> operands);
Words instruction(Op op, std::initializer_list<std::uint32_t> operands);

class ModuleEditor {
 public:
  /// @param instructions, words  Of one module; they outlive the editor.
  ModuleEditor(std::span<const Instruction> instructions, std::span<const std::uint32_t> words);

  [[nodiscard]] const Types& types() const { return types_; }

  Id fresh() { return bound_++; }

  /// The type with these operands, whose result id comes first and is not among them: one that is
  /// there already, or a new one.
  Id type(Op op, std::initializer_list<std::uint32_t> operands);

  /// A structure of `members` words, for a storage buffer.
  Id block_of_words(std::uint32_t members);

  /// A constant of 32 bits without a sign.
  Id constant(std::uint32_t value);

  Id pointer(StorageClass storage, Id pointee);

  /// A new one. The entry point names it. @param initial  A constant; 0: none.
  Id variable(StorageClass storage, Id pointee, Id initial = 0);

  /// The input with this meaning: one that is there already, or a new one.
  Id built_in(std::uint32_t meaning, Id type);

  void decorate(Id id, Decoration kind, std::initializer_list<std::uint32_t> operands = {});

  /// The module with what was added and, at its end, `functions`.
  /// @param bodies  All of the functions of the module, as they are to be.
  [[nodiscard]] Words finish(const Words& bodies, const Words& functions) const;

 private:
  std::span<const Instruction> instructions_;
  std::span<const std::uint32_t> header_;
  Types types_;
  Id bound_;
  Words annotations_;
  Words globals_;
  std::vector<Id> interface_;
  std::vector<std::pair<Words, Id>> added_;  // Types and constants, without their ids.
};

}  // namespace ws::spirv
