// The parser's place in the tokens. After an error it stands before an end of its own until the
// statement is given up, so that no rule has to look out for errors.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/syntax/token.h"

namespace ws::ir {

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, Diagnostics& diagnostics)
      : tokens_(std::move(tokens)),
        diagnostics_(diagnostics) {}

  /// The next token; kEnd with nothing in it after an error.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return failed_ ? nothing_ : tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  [[nodiscard]] bool is(TokenKind kind) const { return peek().kind == kind; }

  [[nodiscard]] bool is(std::string_view word) const { return is_word(peek(), word); }

  [[nodiscard]] bool is_next(std::string_view word) const { return is_word(peek(1), word); }

  Token take() {
    const Token token = peek();
    at_ += failed_ || at_ + 1 == tokens_.size() ? 0U : 1U;
    return token;
  }

  bool take_if(std::string_view word) {
    const bool found = is(word);
    if (found) {
      take();
    }
    return found;
  }

  /// Takes `word`, or reports that it is missing.
  void expect(std::string_view word, std::string hint = {});

  /// Reports an error; later ones are ignored until recover().
  void error(SourcePlace place, std::string message, std::string hint = {});

  /// error() at the next token, which is not what `wanted` says.
  void unexpected(const std::string& wanted, std::string hint = {});

  [[nodiscard]] bool failed() const { return failed_; }

  /// Goes on after the end of the line, and after the block below it when there is one; never
  /// beyond the end of the block it is in.
  void recover();

 private:
  static bool is_word(const Token& token, std::string_view word) {
    return (token.kind == TokenKind::kName || token.kind == TokenKind::kSymbol) &&
           token.text == word;
  }

  [[nodiscard]] bool at_line_start() const;

  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  Token nothing_;
  std::size_t at_ = 0;
  std::size_t recovered_at_ = 0;  // The place of the last recovery, plus one.
  bool failed_ = false;
};

/// "`text`", "the end of the line", ...: how messages name a token.
std::string shown(const Token& token);

}  // namespace ws::ir
