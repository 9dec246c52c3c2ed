#include "runtime/compile/cubin/elf.h"

#include <elf.h>

namespace ws {
namespace {

tl::unexpected<Error> not_one(const ElfKind& kind, const char* why) {
  return fail(ErrorCode::kInternal, std::string("not a ") + kind.name + ": " + why);
}

std::optional<std::string_view> range(std::string_view file, std::uint64_t offset,
                                      std::uint64_t size) {
  if (offset > file.size() || file.size() - offset < size) {
    return std::nullopt;
  }
  return file.substr(offset, size);
}

Result<std::vector<Elf64_Shdr>> read_headers(std::string_view file, const Elf64_Ehdr& header,
                                             const ElfKind& kind) {
  std::vector<Elf64_Shdr> headers;
  for (std::uint16_t i = 0; i < header.e_shnum; ++i) {
    const std::uint64_t offset = header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr);
    const auto section = load_at<Elf64_Shdr>(file, offset);
    if (header.e_shoff > file.size() || !section) {
      return not_one(kind, "its section table lies outside");
    }
    headers.push_back(*section);
  }
  return headers;
}

Result<std::vector<ElfSymbol>> read_symbols(const ElfSection& table, const ElfSection& names,
                                            const ElfKind& kind) {
  std::vector<ElfSymbol> symbols;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size();
       at += sizeof(Elf64_Sym)) {
    const auto symbol = load_at<Elf64_Sym>(table.bytes, at);
    const auto name = symbol ? text_at(names.bytes, symbol->st_name) : std::nullopt;
    if (!name) {
      return not_one(kind, "the name of a symbol lies outside");
    }
    symbols.push_back({*name, static_cast<std::uint8_t>(ELF64_ST_TYPE(symbol->st_info)),
                       symbol->st_shndx, symbol->st_size});
  }
  return symbols;
}

}  // namespace

std::optional<std::string_view> text_at(std::string_view bytes, std::uint64_t offset) {
  const std::size_t end = offset < bytes.size() ? bytes.find('\0', offset) : bytes.npos;
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  return bytes.substr(offset, end - offset);
}

Result<Elf> read_elf(std::string_view file, const ElfKind& kind) {
  const auto header = load_at<Elf64_Ehdr>(file, 0);
  if (!header || !file.starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != kind.machine) {
    return not_one(kind, "its first bytes are another format's");
  }
  WS_TRY(const std::vector<Elf64_Shdr> headers, read_headers(file, *header, kind));
  Elf elf;
  for (const Elf64_Shdr& section : headers) {
    const bool in_file = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    const auto bytes =
        in_file ? range(file, section.sh_offset, section.sh_size) : std::string_view();
    if (!bytes) {
      return not_one(kind, "a section lies outside");
    }
    elf.sections.push_back({{}, section.sh_type, section.sh_info, section.sh_size, *bytes});
  }
  if (header->e_shstrndx >= elf.sections.size()) {
    return not_one(kind, "it has no section names");
  }
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto name = text_at(elf.sections[header->e_shstrndx].bytes, headers[i].sh_name);
    if (!name) {
      return not_one(kind, "the name of a section lies outside");
    }
    elf.sections[i].name = *name;
    const bool better = headers[i].sh_type == SHT_SYMTAB;
    if (better || (headers[i].sh_type == SHT_DYNSYM && elf.symbols.empty())) {
      if (headers[i].sh_link >= elf.sections.size()) {
        return not_one(kind, "its symbols have no names");
      }
      WS_TRY(elf.symbols, read_symbols(elf.sections[i], elf.sections[headers[i].sh_link], kind));
    }
  }
  return elf;
}

}  // namespace ws
