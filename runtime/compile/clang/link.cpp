#include "runtime/compile/clang/link.h"

#include <vector>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/MathExtras.h>

#include "runtime/compile/clang/retarget.h"
#include "runtime/compile/clang/source_files.h"

namespace ws::clang_engine {
namespace {

using ElfObject = llvm::object::ELF64LEObjectFile;
using ElfSymbol = llvm::object::ELFSymbolRef;

constexpr std::uint64_t kPage = 4096;
/// jmp *slot(%rip), padded.
constexpr std::size_t kStubBytes = 8;
/// An address.
constexpr std::size_t kSlotBytes = 8;

/// The value, or `otherwise` where the object file is not in order.
template <typename T>
T value_or(llvm::Expected<T> value, T otherwise) {
  if (value) {
    return *value;
  }
  llvm::consumeError(value.takeError());
  return otherwise;
}

std::string name_of(const ElfSymbol& symbol) {
  return value_or(symbol.getName(), llvm::StringRef()).str();
}

class Linker {
 public:
  explicit Linker(const ElfObject& object)
      : object_(object) {}

  Result<Image> link(std::map<std::string, LinkedFunction>& functions) {
    place_sections();
    WS_CHECK(place_imports());
    for (const llvm::object::ELFSectionRef section : object_.sections()) {
      const llvm::object::section_iterator relocated = value_or(
          section.getRelocatedSection(), llvm::object::section_iterator(object_.section_end()));
      if (relocated == object_.section_end()) {
        continue;
      }
      const auto base = sections_.find(relocated->getIndex());
      if (base == sections_.end()) {
        continue;  // Debug information; DWARFContext relocates it itself.
      }
      for (const llvm::object::ELFRelocationRef relocation : section.relocations()) {
        WS_CHECK(apply(relocation, base->second + relocation.getOffset()));
      }
    }
    list_frames();
    list_symbols(functions);
    list_lines();
    return std::move(image_);
  }

 private:
  static std::uint64_t flags_of(const llvm::object::ELFSectionRef& section) {
    return section.getFlags();
  }

  void place(const llvm::object::ELFSectionRef& section) {
    std::string& blob = image_.blob;
    blob.resize(
        llvm::alignTo(blob.size(), std::max<std::uint64_t>(section.getAlignment().value(), 1)));
    sections_[section.getIndex()] = blob.size();
    if (section.isBSS()) {
      blob.append(section.getSize(), '\0');
    } else if (auto contents = section.getContents()) {
      blob.append(contents->data(), contents->size());
    } else {
      llvm::consumeError(contents.takeError());
    }
  }

  enum class Part : std::uint8_t { kCode, kConstants, kData };

  static Part part_of(const llvm::object::ELFSectionRef& section) {
    const std::uint64_t flags = flags_of(section);
    if ((flags & llvm::ELF::SHF_EXECINSTR) != 0) {
      return Part::kCode;
    }
    return (flags & llvm::ELF::SHF_WRITE) != 0 ? Part::kData : Part::kConstants;
  }

  void place_part(Part part) {
    for (const llvm::object::ELFSectionRef section : object_.sections()) {
      const bool loaded = (flags_of(section) & llvm::ELF::SHF_ALLOC) != 0 && section.getSize() > 0;
      if (loaded && part_of(section) == part) {
        place(section);
      }
    }
  }

  /// Room for `count` of `bytes` each. @return Its offset.
  std::uint64_t reserve(std::size_t count, std::size_t bytes) {
    const std::uint64_t at = llvm::alignTo(image_.blob.size(), kSlotBytes);
    image_.blob.resize(at + count * bytes);
    return at;
  }

  std::uint64_t end_of_page() {
    image_.blob.resize(llvm::alignTo(image_.blob.size(), kPage));
    return image_.blob.size();
  }

  void place_sections() {
    reserve(1, kSlotBytes);  // An offset of 0 stands for code that there is none of.
    place_part(Part::kCode);
    stubs_ = reserve(count_undefined(), kStubBytes);
    image_.ro_offset = end_of_page();
    place_part(Part::kConstants);
    next_slot_ = reserve(count_undefined() + count_got_relocations(), kSlotBytes);
    image_.rw_offset = end_of_page();
    place_part(Part::kData);
    image_.blob.resize(llvm::alignTo(image_.blob.size(), 16));
  }

  /// As many slots as they can need.
  [[nodiscard]] std::size_t count_got_relocations() const {
    std::size_t count = 0;
    for (const llvm::object::ELFSectionRef section : object_.sections()) {
      for (const llvm::object::ELFRelocationRef relocation : section.relocations()) {
        const std::uint64_t type = relocation.getType();
        count += type == llvm::ELF::R_X86_64_GOTPCREL || type == llvm::ELF::R_X86_64_GOTPCRELX ||
                         type == llvm::ELF::R_X86_64_REX_GOTPCRELX
                     ? 1
                     : 0;
      }
    }
    return count;
  }

  [[nodiscard]] std::size_t count_undefined() const {
    std::size_t count = 0;
    for (const ElfSymbol symbol : object_.symbols()) {
      count += is_undefined(symbol) ? 1 : 0;
    }
    return count;
  }

  [[nodiscard]] bool is_undefined(const ElfSymbol& symbol) const {
    const std::uint32_t flags = value_or<std::uint32_t>(symbol.getFlags(), 0);
    return (flags & llvm::object::SymbolRef::SF_Undefined) != 0 && !name_of(symbol).empty();
  }

  std::uint64_t new_slot() {
    const std::uint64_t slot = next_slot_;
    next_slot_ += kSlotBytes;
    return slot;
  }

  Status place_imports() {
    for (const ElfSymbol symbol : object_.symbols()) {
      if (!is_undefined(symbol)) {
        continue;
      }
      const std::string name = name_of(symbol);
      if (!worker_supplies(name)) {
        return fail(ErrorCode::kUnsupported,
                    "function `" + name + "` is not known on the CPU engine");
      }
      const std::uint64_t slot = new_slot();
      const std::uint64_t stub = stubs_ + kStubBytes * image_.imports.size();
      image_.imports.emplace_back(slot, name);
      char* code = image_.blob.data() + stub;
      code[0] = static_cast<char>(0xFF);  // jmp *disp32(%rip)
      code[1] = 0x25;
      write32(stub + 2, static_cast<std::int64_t>(slot) - static_cast<std::int64_t>(stub + 6));
      imports_[name] = {slot, stub};
    }
    return {};
  }

  void write32(std::uint64_t at, std::int64_t value) {
    llvm::support::endian::write32le(image_.blob.data() + at, static_cast<std::uint32_t>(value));
  }

  /// Where a defined symbol lies in the image.
  Result<std::uint64_t> address_of(const ElfSymbol& symbol) const {
    const llvm::object::section_iterator section =
        value_or(symbol.getSection(), llvm::object::section_iterator(object_.section_end()));
    if (section == object_.section_end()) {
      return fail(ErrorCode::kInternal, "a symbol without a section");
    }
    const auto base = sections_.find(section->getIndex());
    if (base == sections_.end()) {
      return fail(ErrorCode::kInternal, "a reference into a section that is not loaded");
    }
    return base->second + value_or<std::uint64_t>(symbol.getValue(), 0);
  }

  /// A slot that holds the symbol's address.
  Result<std::uint64_t> slot_of(const ElfSymbol& symbol) {
    const std::string name = name_of(symbol);
    if (const auto import = imports_.find(name); import != imports_.end()) {
      return import->second.slot;
    }
    WS_TRY(const std::uint64_t target, address_of(symbol));
    const auto [at, fresh] = slots_.try_emplace(target, 0);
    if (fresh) {
      at->second = new_slot();
      image_.rebases.emplace_back(at->second, target);
    }
    return at->second;
  }

  Status apply(const llvm::object::ELFRelocationRef& relocation, std::uint64_t place) {
    const std::int64_t addend = value_or<std::int64_t>(relocation.getAddend(), 0);
    const ElfSymbol symbol = *relocation.getSymbol();
    const auto here = static_cast<std::int64_t>(place);
    const std::string name = name_of(symbol);
    const auto import = imports_.find(name);
    switch (relocation.getType()) {
      case llvm::ELF::R_X86_64_PC32:
      case llvm::ELF::R_X86_64_PLT32: {
        if (import != imports_.end()) {
          write32(place, static_cast<std::int64_t>(import->second.stub) + addend - here);
          return {};
        }
        WS_TRY(const std::uint64_t target, address_of(symbol));
        write32(place, static_cast<std::int64_t>(target) + addend - here);
        return {};
      }
      case llvm::ELF::R_X86_64_GOTPCREL:
      case llvm::ELF::R_X86_64_GOTPCRELX:
      case llvm::ELF::R_X86_64_REX_GOTPCRELX: {
        WS_TRY(const std::uint64_t slot, slot_of(symbol));
        write32(place, static_cast<std::int64_t>(slot) + addend - here);
        return {};
      }
      case llvm::ELF::R_X86_64_64: {
        if (import != imports_.end()) {
          image_.imports.emplace_back(place, name);
          return {};
        }
        WS_TRY(const std::uint64_t target, address_of(symbol));
        image_.rebases.emplace_back(place, target + static_cast<std::uint64_t>(addend));
        return {};
      }
      default:
        return fail(ErrorCode::kInternal,
                    "unknown relocation type " + std::to_string(relocation.getType()));
    }
  }

  /// .stack_sizes: for each function its address (a relocation) and its frame (ULEB128).
  void list_frames() {
    for (const llvm::object::ELFSectionRef section : object_.sections()) {
      const llvm::object::section_iterator target = value_or(
          section.getRelocatedSection(), llvm::object::section_iterator(object_.section_end()));
      if (target == object_.section_end() ||
          value_or(target->getName(), llvm::StringRef()) != ".stack_sizes") {
        continue;
      }
      const llvm::StringRef contents = value_or(target->getContents(), llvm::StringRef());
      for (const llvm::object::ELFRelocationRef relocation : section.relocations()) {
        const auto function = address_of(*relocation.getSymbol());
        const std::uint64_t at = relocation.getOffset() + sizeof(std::uint64_t);
        if (function && at < contents.size()) {
          const std::uint64_t offset =
              *function +
              static_cast<std::uint64_t>(value_or<std::int64_t>(relocation.getAddend(), 0));
          frames_[offset] =
              llvm::decodeULEB128(contents.bytes_begin() + at, nullptr, contents.bytes_end());
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t frame_at(std::uint64_t function) const {
    const auto at = frames_.find(function);
    return at == frames_.end() ? 0 : at->second;
  }

  void list_symbols(std::map<std::string, LinkedFunction>& functions) {
    for (const ElfSymbol symbol : object_.symbols()) {
      const auto type = value_or(symbol.getType(), llvm::object::SymbolRef::ST_Unknown);
      const std::string name = name_of(symbol);
      if (name.empty() || is_undefined(symbol)) {
        continue;
      }
      const auto address = address_of(symbol);
      if (!address) {
        continue;  // File and section symbols.
      }
      if (type == llvm::object::SymbolRef::ST_Function) {
        functions[name] = {*address, frame_at(*address)};
      } else if (type == llvm::object::SymbolRef::ST_Data && *address >= image_.rw_offset) {
        image_.symbols.push_back({name, *address, symbol.getSize()});
      }
    }
  }

  void list_lines() {
    const auto debug = llvm::DWARFContext::create(object_);
    for (const auto& unit : debug->compile_units()) {
      const llvm::DWARFDebugLine::LineTable* table = debug->getLineTableForUnit(unit.get());
      if (table == nullptr) {
        continue;
      }
      for (const llvm::DWARFDebugLine::Row& row : table->Rows) {
        std::string file;
        table->getFileNameByIndex(
            row.File, "/", llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, file);
        const auto base = sections_.find(row.Address.SectionIndex);
        std::string region = region_of(file);
        if (base != sections_.end() && !region.empty() && row.Line != 0) {
          image_.lines.emplace_back(
              base->second + row.Address.Address,
              Site{std::move(region), static_cast<int>(row.Line), static_cast<int>(row.Column)});
        }
      }
    }
    std::stable_sort(image_.lines.begin(), image_.lines.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  struct Import {
    std::uint64_t slot = 0;
    std::uint64_t stub = 0;
  };

  const ElfObject& object_;
  Image image_;
  std::map<std::uint64_t, std::uint64_t> sections_;  ///< ELF section index -> offset in the image.
  std::map<std::string, Import> imports_;
  std::map<std::uint64_t, std::uint64_t> slots_;   ///< Target offset -> slot.
  std::map<std::uint64_t, std::uint64_t> frames_;  ///< Function's offset -> bytes of its frame.
  std::uint64_t stubs_ = 0;
  std::uint64_t next_slot_ = 0;  ///< Among the constants: no kernel can write to it.
};

}  // namespace

Result<Image> link_object(llvm::ArrayRef<char> object,
                          std::map<std::string, LinkedFunction>& functions) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel.o");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file) {
    return fail(ErrorCode::kInternal, "the object file cannot be read", {},
                llvm::toString(file.takeError()));
  }
  const auto* elf = llvm::dyn_cast<ElfObject>(file->get());
  if (elf == nullptr) {
    return fail(ErrorCode::kInternal, "the object file is not for x86-64");
  }
  return Linker(*elf).link(functions);
}

}  // namespace ws::clang_engine
