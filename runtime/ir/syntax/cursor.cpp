#include "runtime/ir/syntax/cursor.h"

namespace ws::ir {

void Cursor::expect(std::string_view word, std::string hint) {
  if (!take_if(word)) {
    unexpected("`" + std::string(word) + "`", std::move(hint));
  }
}

void Cursor::error(SourcePlace place, std::string message, std::string hint) {
  if (!failed_) {
    diagnostics_.add(place, std::move(message), std::move(hint));
    failed_ = true;
  }
}

void Cursor::unexpected(const std::string& wanted, std::string hint) {
  error(peek().place, "expected " + wanted + ", got " + shown(peek()), std::move(hint));
}

bool Cursor::at_line_start() const {
  if (at_ == 0) {
    return true;
  }
  const TokenKind before = tokens_[at_ - 1].kind;
  return before != TokenKind::kName && before != TokenKind::kInteger &&
         before != TokenKind::kFloat && before != TokenKind::kString &&
         before != TokenKind::kSymbol;
}

void Cursor::recover() {
  failed_ = false;
  // The mistake is in the line above, unless this place was not passed the last time either.
  if (at_line_start() && !is(TokenKind::kIndent) && recovered_at_ != at_ + 1) {
    recovered_at_ = at_ + 1;
    return;
  }
  int depth = 0;
  while (!is(TokenKind::kEnd) && (depth > 0 || !is(TokenKind::kDedent))) {
    depth += is(TokenKind::kIndent) ? 1 : is(TokenKind::kDedent) ? -1 : 0;
    const bool line_end = is(TokenKind::kNewline) || is(TokenKind::kDedent);
    take();
    if (line_end && depth == 0 && !is(TokenKind::kIndent)) {
      return;
    }
  }
}

std::string shown(const Token& token) {
  constexpr std::size_t max_shown = 40;
  switch (token.kind) {
    case TokenKind::kNewline:
      return "the end of the line";
    case TokenKind::kIndent:
      return "a deeper indentation";
    case TokenKind::kDedent:
      return "the end of the block";
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kComment:
      return "a comment";
    case TokenKind::kString:
      return "a string";
    default:
      return "`" + std::string(token.text.substr(0, max_shown)) + "`";
  }
}

}  // namespace ws::ir
