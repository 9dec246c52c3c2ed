#include "runtime/compile/hip/code_object.h"

#include <algorithm>
#include <optional>

#include <elf.h>
#include <nlohmann/json.hpp>

#include "runtime/compile/cubin/elf.h"
#include "runtime/compile/hip/msgpack.h"

namespace ws::hip {
namespace {

using Json = nlohmann::json;

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

/// A field's number; `otherwise`: there is none.
std::int64_t integer(const Json& map, const char* name, std::int64_t otherwise) {
  const Json field = map.is_object() ? map.value(name, Json()) : Json();
  return field.is_number_integer() ? field.get<std::int64_t>() : otherwise;
}

/// A field's text; "": there is none.
std::string text(const Json& map, const char* name) {
  const Json field = map.is_object() ? map.value(name, Json()) : Json();
  return field.is_string() ? field.get<std::string>() : "";
}

/// A field's elements; none where it is no array.
Json array(const Json& map, const char* name) {
  Json field = map.is_object() ? map.value(name, Json()) : Json();
  return field.is_array() ? field : Json::array();
}

/// Hidden arguments come last, and are the launcher's business.
std::vector<CodeParam> params_of(const Json& kernel) {
  std::vector<CodeParam> params;
  for (const Json& arg : array(kernel, ".args")) {
    const std::string kind = text(arg, ".value_kind");
    if (kind.starts_with("hidden_")) {
      break;
    }
    params.push_back({word(integer(arg, ".offset", 0)), word(integer(arg, ".size", 0)),
                      kind == "global_buffer"});
  }
  return params;
}

CodeEntry entry_of(const Json& kernel) {
  CodeEntry entry;
  entry.symbol = text(kernel, ".symbol");
  if (entry.symbol.ends_with(kDescriptorEnd)) {
    entry.symbol.resize(entry.symbol.size() - kDescriptorEnd.size());
  }
  entry.registers = bounded(integer(kernel, ".vgpr_count", -1));
  entry.scalars = bounded(integer(kernel, ".sgpr_count", -1));
  entry.spills = bounded(integer(kernel, ".vgpr_spill_count", -1));
  entry.local_bytes = bounded(integer(kernel, ".private_segment_fixed_size", -1));
  entry.shared_bytes =
      std::max<std::int64_t>(bounded(integer(kernel, ".group_segment_fixed_size", 0)), 0);
  entry.max_threads = bounded(integer(kernel, ".max_flat_workgroup_size", -1));
  entry.wavefront = bounded(integer(kernel, ".wavefront_size", -1));
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
  WS_TRY(const Json metadata, parse_msgpack(*note));
  CodeObject object;
  object.target = target_of(text(metadata, "amdhsa.target"));
  for (const Json& kernel : array(metadata, "amdhsa.kernels")) {
    object.entries.push_back(entry_of(kernel));
  }
  for (const ElfSymbol& symbol : elf.symbols) {
    if (is_variable(elf, symbol)) {
      object.symbols.push_back({std::string(symbol.name), symbol.size});
    }
  }
  return object;
}

}  // namespace ws::hip
