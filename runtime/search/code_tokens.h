// Device source as the tokens that a compiler sees, read so carefully that equal tokens are equal
// programs; what this reader is not sure about, it refuses.
//
// tokens.h, by contrast, reads any text, and calls two texts alike that may differ in meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

struct CodeToken {
  enum class Kind : std::uint8_t {
    kWord,
    kNumber,
    kText,       ///< In quotes, of either kind.
    kSymbol,     ///< One character.
    kParameter,  ///< @NAME@
    kDirective,  ///< A whole line of the preprocessor, without a comment at its end.
  };
  Kind kind = Kind::kSymbol;
  std::string_view text;  ///< Points into the source.
  bool glued = false;     ///< Nothing separates it from the token before, and that may matter.
};

/// @return  Nothing where comments, white space or lines may change the meaning in ways that this
/// reader does not follow: joined lines, raw strings, digraphs, block comments in a directive,
/// macros that use `#`, text off ASCII, and words that know their line.
std::optional<std::vector<CodeToken>> code_tokens(std::string_view source);

}  // namespace ws
