// The codes of findings about a kernel that a validation makes beside its verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ws {

enum class FindingCode : std::uint8_t {
#define WS_FINDING(id, name, message) id,
#define WS_NOTE(id, name, message) id,
#include "runtime/evaluate/finding_codes.def"
#undef WS_FINDING
#undef WS_NOTE
};

/// The name on the wire: "self_reference".
std::string_view name_of(FindingCode code);

/// One sentence.
std::string_view message_of(FindingCode code);

/// False for the reason of a verdict.
bool is_note(FindingCode code);

/// Returns nothing for a name that no finding has.
std::optional<FindingCode> finding_code_of(std::string_view name);

}  // namespace ws
