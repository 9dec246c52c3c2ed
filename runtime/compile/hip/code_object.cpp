#include "runtime/compile/hip/code_object.h"

#include <algorithm>
#include <optional>

#include <elf.h>

#include "runtime/compile/cubin/elf.h"
#include "runtime/compile/hip/msgpack.h"

namespace ws::hip {
namespace {

constexpr ElfKind kKind = {224, "code object"};  // EM_AMDGPU
constexpr std::uint32_t kMetadataNote = 32;      // NT_AMDGPU_METADATA
constexpr std::string_view kNoteOwner("AMDGPU\0", 7);
constexpr std::string_view kDescriptorEnd = ".kd";
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40U;  // Nonsense stays out of arithmetic.

tl::unexpected<Error> not_one(const char* why) {
  return fail(ErrorCode::kInternal, std::string("not a code object: ") + why);
}

std::uint64_t padded(std::uint64_t size) {
  return (size + 3) / 4 * 4;
}

/// The description of the metadata note in a section of notes; nothing: it is not there.
std::optional<std::string_view> metadata_in(std::string_view notes) {
  while (const auto header = load_at<Elf64_Nhdr>(notes, 0)) {
    const std::uint64_t name = sizeof *header;
    const std::uint64_t text = name + padded(header->n_namesz);
    const std::uint64_t end = text + padded(header->n_descsz);
    if (text + header->n_descsz > notes.size()) {
      return std::nullopt;
    }
    if (header->n_type == kMetadataNote && notes.substr(name, header->n_namesz) == kNoteOwner) {
      return notes.substr(text, header->n_descsz);
    }
    notes.remove_prefix(std::min<std::uint64_t>(end, notes.size()));
  }
  return std::nullopt;
}

std::int64_t bounded(std::int64_t value) {
  return std::clamp<std::int64_t>(value, -1, kMostBytes);
}

std::uint32_t word(std::int64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, UINT32_MAX));
}

/// Hidden arguments come last, and are the launcher's business.
std::vector<CodeParam> params_of(const msgpack::Value& kernel) {
  std::vector<CodeParam> params;
  const msgpack::Value* args = kernel.find(".args");
  for (std::size_t i = 0; args != nullptr && i < args->items.size(); ++i) {
    const msgpack::Value& arg = args->items[i];
    const std::string_view kind = arg.string(".value_kind");
    if (kind.starts_with("hidden_")) {
      break;
    }
    params.push_back(
        {word(arg.integer(".offset", 0)), word(arg.integer(".size", 0)), kind == "global_buffer"});
  }
  return params;
}

CodeEntry entry_of(const msgpack::Value& kernel) {
  CodeEntry entry;
  std::string_view symbol = kernel.string(".symbol");
  if (symbol.ends_with(kDescriptorEnd)) {
    symbol.remove_suffix(kDescriptorEnd.size());
  }
  entry.symbol = symbol;
  entry.registers = bounded(kernel.integer(".vgpr_count", -1));
  entry.scalars = bounded(kernel.integer(".sgpr_count", -1));
  entry.spills = bounded(kernel.integer(".vgpr_spill_count", -1));
  entry.local_bytes = bounded(kernel.integer(".private_segment_fixed_size", -1));
  entry.shared_bytes =
      std::max<std::int64_t>(bounded(kernel.integer(".group_segment_fixed_size", 0)), 0);
  entry.max_threads = bounded(kernel.integer(".max_flat_workgroup_size", -1));
  entry.wavefront = bounded(kernel.integer(".wavefront_size", -1));
  entry.params = params_of(kernel);
  return entry;
}

/// "gfx90a" of "amdgcn-amd-amdhsa--gfx90a:xnack-".
std::string target_of(std::string_view triple) {
  const std::size_t dash = triple.rfind("--");
  const std::string_view name = dash == triple.npos ? triple : triple.substr(dash + 2);
  return std::string(name.substr(0, name.find(':')));
}

/// Variables that can change are in .data and .bss, initialised constants are in .rodata. There too
/// lie the descriptors of kernels and constants of headers; the compiler's name variables lie
/// elsewhere.
bool is_variable(const Elf& elf, const ElfSymbol& symbol) {
  if (symbol.type != STT_OBJECT || symbol.section >= elf.sections.size()) {
    return false;
  }
  const std::string_view section = elf.sections[symbol.section].name;
  const bool constant = section == ".rodata" && !symbol.name.starts_with("_Z") &&
                        !symbol.name.ends_with(kDescriptorEnd);
  return section == ".data" || section == ".bss" || constant;
}

}  // namespace

Result<CodeObject> read_code_object(std::string_view bytes) {
  WS_TRY(const Elf elf, read_elf(bytes, kKind));
  std::optional<std::string_view> note;
  for (const ElfSection& section : elf.sections) {
    if (section.type == SHT_NOTE && !note) {
      note = metadata_in(section.bytes);
    }
  }
  if (!note) {
    return not_one("it has no metadata");
  }
  WS_TRY(const msgpack::Value metadata, msgpack::parse(*note));
  CodeObject object;
  object.target = target_of(metadata.string("amdhsa.target"));
  if (const msgpack::Value* kernels = metadata.find("amdhsa.kernels")) {
    for (const msgpack::Value& kernel : kernels->items) {
      object.entries.push_back(entry_of(kernel));
    }
  }
  for (const ElfSymbol& symbol : elf.symbols) {
    if (is_variable(elf, symbol)) {
      object.symbols.push_back({std::string(symbol.name), symbol.size});
    }
  }
  return object;
}

}  // namespace ws::hip
