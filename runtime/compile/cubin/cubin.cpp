#include "runtime/compile/cubin/cubin.h"

#include <algorithm>
#include <functional>

#include <elf.h>

#include "runtime/compile/cubin/elf.h"

namespace ws {
namespace {

// Attributes of .nv.info (of the whole file, with a symbol's number first) and .nv.info.<kernel>.
constexpr std::uint8_t kAttrMaxThreads = 0x05;  // x, y, z
constexpr std::uint8_t kAttrReqThreads = 0x10;  // x, y, z
constexpr std::uint8_t kAttrFrameSize = 0x11;   // symbol, bytes
constexpr std::uint8_t kAttrMinStack = 0x12;    // symbol, bytes
constexpr std::uint8_t kAttrParam = 0x17;       // index, ordinal:16 offset:16, size << 18
constexpr std::uint8_t kAttrRegisters = 0x2f;   // symbol, count
constexpr std::uint8_t kAttrParamLong = 0x45;   // index, ordinal:16 offset:16, size
constexpr std::uint8_t kFormSized = 0x04;       // The value is a length; that many bytes follow.
constexpr std::uint32_t kParamSizeShift = 18;
constexpr std::uint64_t kMaxParams = 4096;

constexpr std::string_view kInfo = ".nv.info";
constexpr std::string_view kSharedPrefix = ".nv.shared.";
constexpr std::string_view kReservedShared = ".nv.shared.reserved.0";
constexpr std::int64_t kReservedSharedBytes =
    1024;  // The part of each block that is reserved, from sm_90 on.

struct Attribute {
  std::uint8_t code = 0;
  std::string_view value;

  [[nodiscard]] std::uint32_t word(std::uint64_t index) const {
    return load_at<std::uint32_t>(value, index * sizeof(std::uint32_t)).value_or(0);
  }
};

Status for_each_attribute(std::string_view bytes,
                          const std::function<void(const Attribute&)>& visit) {
  constexpr std::uint64_t header = 4;  // Form, code, and a value or length of 16 bits.
  std::uint64_t at = 0;
  while (at < bytes.size()) {
    const auto form = load_at<std::uint8_t>(bytes, at);
    const auto code = load_at<std::uint8_t>(bytes, at + 1);
    const auto value = load_at<std::uint16_t>(bytes, at + 2);
    if (!form || !code || !value) {
      return fail(ErrorCode::kInternal, "not a cubin: an attribute is cut off");
    }
    at += header;
    if (*form != kFormSized) {
      continue;
    }
    if (bytes.size() - at < *value) {
      return fail(ErrorCode::kInternal, "not a cubin: an attribute is cut off");
    }
    visit({*code, bytes.substr(at, *value)});
    at += *value;
  }
  return {};
}

CubinEntry* entry_of(Cubin& cubin, std::string_view symbol) {
  const auto at = std::find_if(cubin.entries.begin(), cubin.entries.end(),
                               [&](const CubinEntry& entry) { return entry.symbol == symbol; });
  return at == cubin.entries.end() ? nullptr : &*at;
}

void read_of_file(const Elf& elf, const Attribute& attribute, Cubin& cubin) {
  const std::uint32_t symbol = attribute.word(0);
  CubinEntry* entry =
      symbol < elf.symbols.size() ? entry_of(cubin, elf.symbols[symbol].name) : nullptr;
  if (entry == nullptr) {
    return;
  }
  const std::int64_t value = attribute.word(1);
  if (attribute.code == kAttrRegisters) {
    entry->registers = value;
  } else if (attribute.code == kAttrFrameSize || attribute.code == kAttrMinStack) {
    entry->local_bytes = std::max(entry->local_bytes, value);
  }
}

void add_param(std::uint32_t ordinal, CubinParam param, CubinEntry& entry) {
  if (ordinal < kMaxParams) {
    entry.params.resize(std::max<std::size_t>(entry.params.size(), ordinal + 1));
    entry.params[ordinal] = param;
  }
}

void read_of_entry(const Attribute& attribute, CubinEntry& entry) {
  constexpr std::uint32_t low = 0xffff;
  constexpr std::uint32_t half = 16;
  const std::uint32_t place = attribute.word(1);
  switch (attribute.code) {
    case kAttrMaxThreads:
    case kAttrReqThreads:
      entry.max_threads = std::int64_t{attribute.word(0)} * std::max(attribute.word(1), 1U) *
                          std::max(attribute.word(2), 1U);
      break;
    case kAttrParam:
      add_param(place & low, {place >> half, attribute.word(2) >> kParamSizeShift}, entry);
      break;
    case kAttrParamLong:
      add_param(place & low, {place >> half, attribute.word(2)}, entry);
      break;
    default:
      break;
  }
}

std::int64_t shared_of(const Elf& elf, std::string_view symbol) {
  const auto named = [&](std::string_view name) {
    return std::find_if(elf.sections.begin(), elf.sections.end(),
                        [&](const ElfSection& section) { return section.name == name; });
  };
  const auto section = named(std::string(kSharedPrefix) + std::string(symbol));
  if (section == elf.sections.end()) {
    return 0;
  }
  const std::int64_t reserved =
      named(kReservedShared) == elf.sections.end() ? 0 : kReservedSharedBytes;
  constexpr std::uint64_t most = std::uint64_t{1} << 40U;  // Keeps nonsense out of the arithmetic.
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(section->size, most)) - reserved,
                                0);
}

/// Variables lie in .nv.global, .nv.global.init and constant bank 3.
bool holds_variables(std::string_view section) {
  return section.starts_with(".nv.global") || section == ".nv.constant3";
}

}  // namespace

Result<Cubin> read_cubin(std::string_view bytes) {
  WS_TRY(const Elf elf, read_elf(bytes, {EM_CUDA, "cubin"}));
  Cubin cubin;
  // A kernel is what has attributes of its own; device functions have none of parameters.
  for (const ElfSection& section : elf.sections) {
    if (section.name.starts_with(kInfo) && section.name.size() > kInfo.size() + 1) {
      CubinEntry entry;
      entry.symbol = section.name.substr(kInfo.size() + 1);
      entry.shared_bytes = shared_of(elf, entry.symbol);
      WS_CHECK(for_each_attribute(
          section.bytes, [&](const Attribute& attribute) { read_of_entry(attribute, entry); }));
      cubin.entries.push_back(std::move(entry));
    }
  }
  for (const ElfSection& section : elf.sections) {
    if (section.name == kInfo) {
      WS_CHECK(for_each_attribute(
          section.bytes, [&](const Attribute& attribute) { read_of_file(elf, attribute, cubin); }));
    }
  }
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.type == STT_OBJECT && symbol.section < elf.sections.size() &&
        holds_variables(elf.sections[symbol.section].name)) {
      cubin.symbols.push_back({std::string(symbol.name), symbol.size});
    }
  }
  return cubin;
}

}  // namespace ws
