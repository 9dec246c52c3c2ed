// A SPIR-V module as the list of its instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/spirv/words.h"

namespace ws::spirv {

using Words = std::vector<std::uint32_t>;

/// A view into the module's words, the first of which holds opcode and length.
struct Instruction {
  Op op = Op::kNoLine;
  std::span<const std::uint32_t> words;

  /// Operand `index`, from 0, without the first word; 0 where the instruction is shorter.
  [[nodiscard]] std::uint32_t operand(std::size_t index) const {
    return index + 1 < words.size() ? words[index + 1] : 0;
  }

  [[nodiscard]] std::size_t operands() const { return words.size() - 1; }

  /// The text that begins at that operand; without an end it is the rest.
  [[nodiscard]] std::string text(std::size_t index) const;
  /// The number of words that the text takes.
  [[nodiscard]] std::size_t text_words(std::size_t index) const;
};

/// The instructions of `words`, which outlive them.
/// @errors kInvalidArgument: no SPIR-V of this byte order, or an instruction that is cut off.
Result<std::vector<Instruction>> instructions_of(std::span<const std::uint32_t> words);

/// An index that a module of Build::kBounds compares with the length of what it goes into; or a
/// loop, whose `site` is all that it has.
struct CheckedAccess {
  static constexpr std::uint32_t kNoParam = 0xffffffff;

  std::uint32_t param = kNoParam;  ///< The buffer, of CompiledEntry::params; else `object`.
  std::uint32_t object = 0;        ///< Index into Image::objects.
  std::uint32_t element_bytes = 0;
  std::uint32_t write = 0;
  std::uint32_t site = 0;  ///< Index into Image::sites.
};

/// An entry, compiled.
struct ShaderCode {
  Words words;
  std::vector<CheckedAccess> accesses;  ///< By the number that the module reports.
};

/// Those of the entries of an image, in their order, as its blob.
std::string encode_shaders(const std::vector<ShaderCode>& shaders);

/// @errors kInternal: not what encode_shaders() writes.
Result<std::vector<ShaderCode>> decode_shaders(std::string_view blob);

/// Whether it begins as encode_shaders() does.
bool holds_shaders(std::string_view blob);

}  // namespace ws::spirv
