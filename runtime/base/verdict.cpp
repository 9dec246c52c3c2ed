#include "runtime/base/verdict.h"

#include <algorithm>
#include <array>

namespace ws {
namespace {

constexpr std::array kVerdicts = {
#define WS_VERDICT(id, name, retryable, proves_wrong, right_when_timed, meaning) \
  VerdictFacts{Verdict::id, name, retryable, proves_wrong, right_when_timed, meaning},
#include "runtime/base/verdicts.def"
#undef WS_VERDICT
};

}  // namespace

std::span<const VerdictFacts> all_verdicts() {
  return kVerdicts;
}

const VerdictFacts& facts_of(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

std::string_view name_of(Verdict verdict) {
  return facts_of(verdict).name;
}

std::optional<Verdict> verdict_of(std::string_view name) {
  const auto* const at = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                      [&](const VerdictFacts& row) { return row.name == name; });
  return at == kVerdicts.end() ? std::nullopt : std::optional(at->verdict);
}

std::string verdict_text(Verdict verdict, std::string_view message) {
  return std::string(name_of(verdict)) + ": " + std::string(message);
}

}  // namespace ws
