// Sections and symbols of a 64-bit little-endian ELF file in memory, with every access checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t info = 0;
  std::uint64_t size = 0;  ///< In memory; `bytes` is empty where the file holds none (NOBITS).
  std::string_view bytes;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;  ///< STT_*
  std::uint16_t section = 0;
  std::uint64_t size = 0;
};

struct Elf {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;  ///< By number, the null symbol first.
};

/// A number at `offset`, or nothing when it does not lie wholly in `bytes`.
template <typename T>
std::optional<T> load_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The text at `offset` up to its zero byte, or nothing.
std::optional<std::string_view> text_at(std::string_view bytes, std::uint64_t offset);

/// The machine and ABI that the file must be for.
struct ElfKind {
  std::uint16_t machine = 0;  ///< e_machine
  const char* name = "";      ///< For messages: "cubin".
};

/// Views into `file`. Symbols are those of .symtab, else of .dynsym.
/// @errors kInternal: "not a <name>: ..." with what does not fit. @source elf(5).
Result<Elf> read_elf(std::string_view file, const ElfKind& kind);

}  // namespace ws
