// The text of an inline `asm` as statements: what the parser makes and the emitter reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/compile/clang/ptx/type.h"

namespace ws::clang_engine::ptx {

/// A mistake in a text, or something that the engine lacks.
struct Complaint {
  std::string message;
  bool syntax = false;  ///< It is no PTX at all, on any device.
  unsigned line = 1;    ///< In the text.
};

/// A register that the text declares itself.
struct Register {
  std::string name;
  Type type = Type::kB32;
};

struct Operand {
  enum class Kind : std::uint8_t {
    kArgument,  ///< `%0`: an operand of the asm statement.
    kRegister,
    kSpecial,  ///< `%tid.x`
    kInteger,
    kFloat,    ///< Its bits as a double.
    kSingle,   ///< `0f3F800000`: its bits as a float.
    kAddress,  ///< `[parts[0] + value]`
    kVector,   ///< `{parts...}`
    kSink,     ///< `_`
    kLabel,    ///< The target of a jump.
    kUnknown,  ///< A name that is not declared.
  };
  Kind kind = Kind::kSink;
  unsigned index = 0;       ///< Argument, register or label.
  std::uint64_t value = 0;  ///< Bits of a number, or the offset of an address.
  bool negated = false;     ///< `!p`
  std::string name;         ///< As it stands in the text.
  std::vector<Operand> parts;
};

struct Guard {
  Operand predicate;
  bool negated = false;
};

struct Statement {
  std::string opcode;  ///< "ld.global.f32"
  unsigned line = 1;   ///< In the text.
  std::optional<Guard> guard;
  std::vector<Operand> operands;
  std::optional<Operand> second;  ///< The `q` of a destination `p|q`.

  /// `bra` or `bra.uni`: the first operand is a label.
  [[nodiscard]] bool jumps() const { return opcode == "bra" || opcode == "bra.uni"; }

  /// The thread ends there.
  [[nodiscard]] bool ends() const { return opcode == "exit"; }
};

struct Program {
  std::vector<Register> registers;
  std::vector<Statement> statements;
  std::vector<std::size_t> labels;  ///< The statement that each stands before.
};

}  // namespace ws::clang_engine::ptx
