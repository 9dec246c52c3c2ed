#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

enum class TokenKind : std::uint8_t {
  kName,
  kInteger,
  kFloat,
  kString,  // text without quotes
  kSymbol,
  kNewline,  // text is the comment at the line's end, if any
  kIndent,
  kDedent,
  kComment,  // a line that is only a comment, with its `#`
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourcePlace place;
  std::string_view text;  ///< Points into the source.
  std::int64_t integer = 0;
  double number = 0;
};

}  // namespace ws::ir
