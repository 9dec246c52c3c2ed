#include "runtime/evaluate/finding_code.h"

#include <array>

namespace ws {
namespace {

struct FindingRow {
  FindingCode code;
  std::string_view name;
  std::string_view message;
  bool note;
};

constexpr std::array kFindings = {
#define WS_FINDING(id, name, message) FindingRow{FindingCode::id, name, message, false},
#define WS_NOTE(id, name, message) FindingRow{FindingCode::id, name, message, true},
#include "runtime/evaluate/finding_codes.def"
#undef WS_FINDING
#undef WS_NOTE
};

}  // namespace

std::string_view name_of(FindingCode code) {
  return kFindings.at(static_cast<std::size_t>(code)).name;
}

std::string_view message_of(FindingCode code) {
  return kFindings.at(static_cast<std::size_t>(code)).message;
}

bool is_note(FindingCode code) {
  return kFindings.at(static_cast<std::size_t>(code)).note;
}

std::optional<FindingCode> finding_code_of(std::string_view name) {
  for (const FindingRow& row : kFindings) {
    if (row.name == name) {
      return row.code;
    }
  }
  return std::nullopt;
}

}  // namespace ws
