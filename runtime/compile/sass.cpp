#include "runtime/compile/sass.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ws {
namespace {

/// Instructions that tell how a kernel works: tensor cores, arithmetic, special functions, memory
/// by kind, copies that run by themselves, atomics, warps, barriers, calls. No order is needed.
constexpr auto kListed = std::to_array<std::string_view>({
    "HGMMA",    "QGMMA",  "IGMMA",     "BGMMA", "UTCHMMA", "UTCQMMA", "HMMA",    "QMMA",
    "IMMA",     "DMMA",   "FFMA",      "FFMA2", "FADD",    "FMUL",    "FSETP",   "FMNMX",
    "DFMA",     "DADD",   "DMUL",      "HFMA2", "HADD2",   "HMUL2",   "HMNMX2",  "MUFU",
    "IMAD",     "IADD3",  "LOP3",      "SHF",   "PRMT",    "F2F",     "F2FP",    "I2F",
    "F2I",      "LDG",    "STG",       "LDS",   "STS",     "LDL",     "STL",     "LDC",
    "LDSM",     "STSM",   "LDGSTS",    "LD",    "ST",      "UTMALDG", "UTMASTG", "UTMAPF",
    "UTMAREDG", "UBLKCP", "UBLKRED",   "ATOM",  "ATOMG",   "ATOMS",   "RED",     "REDG",
    "REDUX",    "SHFL",   "VOTE",      "MATCH", "BAR",     "UCGABAR", "SYNCS",   "WARPSYNC",
    "MEMBAR",   "DEPBAR", "WARPGROUP", "BRA",   "CALL",    "RET",     "EXIT",
});

/// The instruction after the address in a line of a disassembler: "/*0010*/  FFMA R1, ..."
/// Lines with code only, "/* 0x00 */", and labels have none.
std::string_view statement_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(begin);
  if (!line.starts_with("/*") || line.size() < 3 ||
      std::isxdigit(static_cast<unsigned char>(line[2])) == 0) {
    return {};
  }
  const std::size_t end = line.find("*/");
  return end == std::string_view::npos ? std::string_view() : line.substr(end + 2);
}

/// "FFMA" of "  @!P0 FFMA.FTZ R1, R2, R3, R4 ;"; empty when there is none.
std::string_view mnemonic_of(std::string_view statement) {
  const auto skip_blanks = [&statement] {
    statement.remove_prefix(std::min(statement.find_first_not_of(" \t{"), statement.size()));
  };
  skip_blanks();
  if (statement.starts_with('@')) {
    statement.remove_prefix(std::min(statement.find_first_of(" \t"), statement.size()));
    skip_blanks();
  }
  const auto* end = std::find_if_not(statement.begin(), statement.end(), [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0;
  });
  return statement.substr(0, static_cast<std::size_t>(end - statement.begin()));
}

}  // namespace

std::map<std::string, std::int64_t> count_sass(std::string_view text) {
  std::map<std::string, std::int64_t> counts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view mnemonic = mnemonic_of(statement_of(text.substr(0, end)));
    if (!mnemonic.empty()) {
      const bool listed = std::find(kListed.begin(), kListed.end(), mnemonic) != kListed.end();
      ++counts[listed ? std::string(mnemonic) : "other"];
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return counts;
}

}  // namespace ws
