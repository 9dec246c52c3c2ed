// The instructions of PTX: what the engine knows of them, and those that it knows by name only.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/compile/clang/ptx/step.h"

namespace ws::clang_engine::ptx {

struct Row {
  const char* name;
  Types first;          ///< The destination may have them. Empty: the opcode names no type.
  Types second;         ///< The sources may have them, where the opcode names a second type.
  Modifiers modifiers;  ///< Those that it may have.
  std::uint8_t least;   ///< Operands, with the destination.
  std::uint8_t most;
  void (*emit)(Step&);
};

/// The rows, in an order that has a meaning only for readers.
llvm::ArrayRef<Row> rows();

/// Takes a statement's opcode apart and compares it with the table.
/// @return Nothing where `complaint` says why.
std::optional<Instruction> look_up(const Statement& statement, Complaint& complaint);

}  // namespace ws::clang_engine::ptx
