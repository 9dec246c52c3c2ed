// The words of an expression: integers, names and keywords, operators.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

struct ExprToken {
  enum class Kind : std::uint8_t { kNumber, kWord, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::size_t column = 1;  ///< 1-based.
  std::int64_t value = 0;  ///< kNumber.
};

/// Cuts `text`, which must outlive it, into tokens.
class ExprLexer {
 public:
  explicit ExprLexer(std::string_view text)
      : text_(text) {}

  /// The next token; kEnd at the end, again and again.
  /// @errors kInvalidArgument: an unknown character, a malformed or too large integer.
  Result<ExprToken> next();

 private:
  Result<ExprToken> number(ExprToken token);
  ExprToken take(ExprToken token, ExprToken::Kind kind, std::size_t length);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ws
