// The types, constants and names of a SPIR-V module, by id.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/compile/spirv/module.h"

namespace ws::spirv {

using Id = std::uint32_t;

class Types {
 public:
  /// @param instructions  Outlive it.
  explicit Types(std::span<const Instruction> instructions);

  /// The instruction that makes the type or the constant; null for another id.
  [[nodiscard]] const Instruction* find(Id id) const;

  /// "" for an id without one.
  [[nodiscard]] std::string name(Id id) const;
  [[nodiscard]] std::string member_name(Id type, std::uint32_t member) const;

  /// The first operand of the decoration.
  [[nodiscard]] std::optional<std::uint32_t> decoration(Id id, Decoration kind) const;
  [[nodiscard]] std::optional<std::uint32_t> member_decoration(Id type, std::uint32_t member,
                                                               Decoration kind) const;

  /// The type that a pointer type points at; 0 for another type.
  [[nodiscard]] Id pointee(Id type) const;
  /// The value of a constant of up to 32 bits; nothing for another id.
  [[nodiscard]] std::optional<std::uint32_t> constant(Id id) const;
  /// The elements of an array of a known length, the components of a vector or the columns of a
  /// matrix; 0 for others.
  [[nodiscard]] std::uint32_t length(Id type) const;
  /// The type of the elements, components or columns; 0 for others.
  [[nodiscard]] Id element(Id type) const;
  /// Bytes that a value takes, by the layout where there is one; 0: unknown.
  [[nodiscard]] std::uint64_t size(Id type) const;

  /// The number that a type consists of, whatever its shape; nothing where it has several kinds.
  [[nodiscard]] const Instruction* number_in(Id type) const;

 private:
  [[nodiscard]] std::uint64_t size_within(Id type, int depth) const;
  [[nodiscard]] const Instruction* number_within(Id type, int depth) const;

  std::map<Id, const Instruction*> makers_;
  std::map<Id, std::string> names_;
  std::map<std::pair<Id, std::uint32_t>, std::string> member_names_;
  std::map<std::pair<Id, Decoration>, std::uint32_t> decorations_;
  std::map<std::pair<std::pair<Id, std::uint32_t>, Decoration>, std::uint32_t> member_decorations_;
};

/// "float", "uint", "float16_t": a number of a shader language; "" where it has none.
std::string number_name(const Instruction& type);

/// The element type of a buffer's argument that has this number and no other; "" for unsigned
/// integers, which stand for any bits.
std::string number_dtype(const Instruction& type);

}  // namespace ws::spirv
