// The mistakes that explain why a translation computes something else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/translation/facts.h"

namespace ws::ir {

enum class TranslationRule : std::uint8_t {
#define WS_TRANSLATION_RULE(identifier, id, what, fix) identifier,
#include "runtime/ir/translation/rules.def"
#undef WS_TRANSLATION_RULE
};

struct RuleInfo {
  std::string_view id;    ///< "IDX-TILE-BASE": stable.
  std::string_view what;  ///< The difference, in words.
  std::string_view fix;
};

const RuleInfo& info_of(TranslationRule rule);

/// A fact that only one of two programs has, and the rule that it looks like a breach of.
struct Difference {
  TranslationRule rule;
  std::uint32_t line = 0;        ///< In the translation; 0: not known.
  std::uint32_t other_line = 0;  ///< In the program that it should be like; 0: not known.

  auto operator<=>(const Difference&) const = default;
};

struct Differences {
  std::vector<Difference> rows;  ///< By line, each once.
  std::size_t facts = 0;         ///< Facts that one of the programs lacks.
};

/// Compares the facts of a translation with those of what it was made from. Programs that compute
/// the same may differ in some: a difference explains a wrong result and proves none.
/// @param julia  The translation is in Julia.
/// @param text   A source line of the translation.
/// @threads any
Differences compare_facts(const std::vector<Fact>& translation, const std::vector<Fact>& original,
                          bool julia, const std::function<std::string(std::uint32_t)>& text);

}  // namespace ws::ir
