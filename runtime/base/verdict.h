// Verdicts: what a tool says about a kernel. A verdict is an answer; an error is not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ws {

enum class Verdict : std::uint8_t {
#define WS_VERDICT(id, name, retryable, proves_wrong, right_when_timed, meaning) id,
#include "runtime/base/verdicts.def"
#undef WS_VERDICT
};

/// One row of verdicts.def, which explains the columns.
struct VerdictFacts {
  Verdict verdict;
  std::string_view name;
  bool retryable;
  bool proves_wrong;
  bool right_when_timed;
  std::string_view meaning;  ///< One sentence.
};

/// All verdicts, in the order of the enumerators.
std::span<const VerdictFacts> all_verdicts();

const VerdictFacts& facts_of(Verdict verdict);

/// The name on the wire: "compile_error".
std::string_view name_of(Verdict verdict);

/// Without this, JSON would take a verdict's number: it is written by name_of().
template <typename AnyJson>
void to_json(AnyJson& form, Verdict verdict) = delete;

/// Returns nothing for a name that no verdict has.
std::optional<Verdict> verdict_of(std::string_view name);

/// "<verdict>: <message>", for sentences.
std::string verdict_text(Verdict verdict, std::string_view message);

}  // namespace ws
