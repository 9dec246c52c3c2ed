// C++ text as tokens, as far as canonical.cpp needs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

enum class TokenKind : std::uint8_t {
  kName,       ///< Identifier or keyword.
  kText,       ///< Number, string or character.
  kMark,       ///< Operator or punctuation, as long as it can be; a placeholder @NAME@.
  kDirective,  ///< A whole preprocessor line, its white space made one space.
};

struct SourceToken {
  TokenKind kind;
  std::string_view text;  ///< Into the source; a directive's is all of its line.
};

/// Nothing: the meaning may depend on the layout, or the text does not end properly.
std::optional<std::vector<SourceToken>> source_tokens(std::string_view source);

}  // namespace ws
