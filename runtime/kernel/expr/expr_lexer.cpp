#include "runtime/kernel/expr/expr_lexer.h"

#include <array>
#include <charconv>

#include "runtime/base/text.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {
namespace {

// Longest first, as the first match is taken.
constexpr std::array<std::string_view, 15> kSymbols = {"**", "//", "==", "!=", "<=", ">=", "<", ">",
                                                       "+",  "-",  "*",  "%",  "(",  ")",  ","};

}  // namespace

ExprToken ExprLexer::take(ExprToken token, ExprToken::Kind kind, std::size_t length) {
  token.kind = kind;
  token.text = text_.substr(at_, length);
  at_ += length;
  return token;
}

Result<ExprToken> ExprLexer::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
    ++at_;
  }
  const ExprToken token{ExprToken::Kind::kEnd, {}, at_ + 1, 0};
  if (at_ == text_.size()) {
    return token;
  }
  if (is_digit(text_[at_])) {
    return number(token);
  }
  if (is_word_start(text_[at_])) {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) {
      ++end;
    }
    return take(token, ExprToken::Kind::kWord, end - at_);
  }
  for (const std::string_view symbol : kSymbols) {
    if (text_.substr(at_, symbol.size()) == symbol) {
      return take(token, ExprToken::Kind::kSymbol, symbol.size());
    }
  }
  if (text_[at_] == '/') {
    return expr_error(text_, token.column, "`/` is not an integer operation",
                      "use `//` (floor) or `cdiv` (ceiling)");
  }
  const auto byte = static_cast<unsigned char>(text_[at_]);
  if (byte < 0x20U || byte > 0x7eU) {
    return expr_error(text_, token.column, "character " + std::to_string(byte) + " is not allowed");
  }
  return expr_error(text_, token.column,
                    "unexpected character `" + std::string(1, text_[at_]) + "`");
}

Result<ExprToken> ExprLexer::number(ExprToken token) {
  const bool hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
  const char* const begin = text_.data() + at_ + (hex ? 2 : 0);
  const char* const end = text_.data() + text_.size();
  const auto [stop, code] = std::from_chars(begin, end, token.value, hex ? 16 : 10);
  if (code == std::errc::result_out_of_range) {
    return expr_error(text_, token.column, "integer does not fit in 64 bits");
  }
  if (code == std::errc() && stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E')) {
    return expr_error(text_, token.column, "floating-point numbers are not allowed");
  }
  if (code != std::errc() || (stop != end && is_word(*stop))) {
    return expr_error(text_, token.column, "malformed integer");
  }
  const auto length = static_cast<std::size_t>(stop - (text_.data() + at_));
  return take(token, ExprToken::Kind::kNumber, length);
}

bool is_identifier(std::string_view word) {
  constexpr std::size_t kMaxLength = 64;
  if (word.empty() || word.size() > kMaxLength || !is_word_start(word.front())) {
    return false;
  }
  for (const char c : word) {
    if (!is_word(c)) {
      return false;
    }
  }
  return !is_reserved_word(word);
}

}  // namespace ws
