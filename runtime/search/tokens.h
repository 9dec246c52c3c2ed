// Device source as tokens that stay the same when comments, white space, literals and the names
// that its author chose change: what two kernels are compared by.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ws {

/// A token as written. Comments and white space are no tokens.
struct RawToken {
  enum class Kind : std::uint8_t { kWord, kNumber, kText, kSymbol };
  Kind kind = Kind::kSymbol;
  std::string_view text;  ///< Points into the source; of kSymbol one character.
};

/// Reads CUDA C++ (any text gives tokens: what is not closed ends with the source). A placeholder
/// `@NAME@` is a number, as it stands for one.
std::vector<RawToken> raw_tokens(std::string_view source);

/// A word of C++, CUDA or the preprocessor; renaming it changes the program.
bool is_language_word(std::string_view word);

/// A word after which a name is being declared, as in `float scale`.
bool is_type_word(std::string_view word);

/// One hash for each token: keywords, intrinsics and functions that the source calls but does not
/// declare count as themselves; other names, numbers and texts by their kind only.
std::vector<std::uint64_t> normal_tokens(std::string_view source);

}  // namespace ws
