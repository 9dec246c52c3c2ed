#include "runtime/ir/syntax/lexer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "runtime/base/text.h"
#include "runtime/ir/syntax/ast.h"
#include "runtime/ir/syntax/ops.h"
#include "runtime/ir/syntax/utf8.h"

namespace ws::ir {
namespace {

// Besides the operators; longest first.
constexpr std::array<std::string_view, 11> kPunctuation = {"...", "->", "(", ")", "[", "]",
                                                           ",",   ":",  ".", ";", "="};

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics)
      : text_(text),
        diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size() && !diagnostics_.full()) {
      line();
    }
    emit_dedents(0);
    push(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  [[nodiscard]] SourcePlace here() const {
    return {line_, static_cast<std::uint32_t>(at_ - line_start_) + 1};
  }

  Token& push(TokenKind kind, std::size_t length) {
    tokens_.push_back({kind, here(), text_.substr(at_, length), 0, 0.0});
    at_ += length;
    return tokens_.back();
  }

  void newline() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') {
      ++at_;
    }
  }

  std::size_t comment_length() const {
    std::size_t end = text_.find('\n', at_);
    end = end == std::string_view::npos ? text_.size() : end;
    while (end > at_ && (text_[end - 1] == '\r' || text_[end - 1] == ' ')) {
      --end;
    }
    return end - at_;
  }

  // One logical line: brackets carry it over line ends.
  void line() {
    const std::size_t start = at_;
    while (peek() == ' ') {
      ++at_;
    }
    const std::size_t width = at_ - start;
    const SourcePlace place = here();
    const bool tab = peek() == '\t';
    skip_spaces();
    if (peek() == '\n' || at_ == text_.size()) {
      at_ < text_.size() ? newline() : void();
      return;
    }
    if (peek() == '#') {
      push(TokenKind::kComment, comment_length());
      skip_spaces();
      at_ < text_.size() ? newline() : void();
      return;
    }
    if (tab) {
      diagnostics_.add(place, "a tab in the indentation", "indent with spaces");
    }
    indent(width);
    tokens_of_line();
  }

  void indent(std::size_t width) {
    if (width > indents_.back()) {
      indents_.push_back(width);
      push(TokenKind::kIndent, 0);
      return;
    }
    emit_dedents(width);
    if (width != indents_.back()) {
      diagnostics_.add(here(), "this indentation matches no open block",
                       "indent as the statement above, or as the one it belongs to");
    }
  }

  void emit_dedents(std::size_t width) {
    while (indents_.size() > 1 && indents_.back() > width) {
      indents_.pop_back();
      push(TokenKind::kDedent, 0);
    }
  }

  void tokens_of_line() {
    int brackets = 0;
    while (at_ < text_.size() && !diagnostics_.full()) {
      skip_spaces();
      const char c = peek();
      if (c == '\n' && brackets > 0) {
        newline();
      } else if (c == '#' && brackets > 0) {
        at_ += comment_length();
      } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += peek(1) == '\r' ? 2U : 1U;
        newline();
      } else if (c == '\n' || c == '#') {
        break;
      } else if (at_ < text_.size()) {
        brackets += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        token();
      }
    }
    push(TokenKind::kNewline, peek() == '#' ? comment_length() : 0);
    skip_spaces();
    if (at_ < text_.size()) {
      newline();
    }
  }

  void token() {
    const char c = peek();
    if (is_word_start(c)) {
      std::size_t length = 1;
      while (is_word(peek(length))) {
        ++length;
      }
      push(TokenKind::kName, length);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string();
    } else if (!symbol()) {
      const auto byte = static_cast<unsigned char>(c);
      const bool visible = byte > 0x20U && byte < 0x7fU;
      diagnostics_.add(here(), visible ? "unexpected character `" + std::string(1, c) + "`"
                                       : "byte " + std::to_string(byte) +
                                             " is allowed in strings and comments only");
      ++at_;
    }
  }

  void number() {
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    std::size_t length = 1;
    bool real = false;
    while (is_word(peek(length)) || peek(length) == '.' ||
           (!hex && (peek(length) == '+' || peek(length) == '-') &&
            (peek(length - 1) == 'e' || peek(length - 1) == 'E'))) {
      ++length;
    }
    for (const char c : text_.substr(at_, length)) {
      real = real || (!hex && (c == '.' || c == 'e' || c == 'E'));
    }
    const SourcePlace place = here();
    Token& token = push(real ? TokenKind::kFloat : TokenKind::kInteger, length);
    const auto [stop, code] = real  ? std::from_chars(begin, end, token.number)
                              : hex ? std::from_chars(begin + 2, end, token.integer, 16)
                                    : std::from_chars(begin, end, token.integer);
    if (code == std::errc::result_out_of_range) {
      diagnostics_.add(place,
                       real ? "number does not fit in 64 bits" : "integer does not fit in 64 bits");
    } else if (code != std::errc() || stop != begin + length) {
      diagnostics_.add(place, "malformed number `" + std::string(token.text.substr(0, 40)) + "`");
    }
  }

  void string() {
    const std::string_view quote = text_.substr(
        at_, text_.substr(at_, 3) == "\"\"\"" || text_.substr(at_, 3) == "'''" ? 3 : 1);
    const SourcePlace place = here();
    at_ += quote.size();
    const std::size_t start = at_;
    while (at_ < text_.size() && text_.substr(at_, quote.size()) != quote) {
      if (peek() == '\n' && quote.size() == 1) {
        break;
      }
      if (peek() == '\\' && quote.size() == 1) {
        diagnostics_.add(here(), "a backslash in a string", "strings have no escapes");
      }
      peek() == '\n' ? newline() : void(++at_);
    }
    const std::string_view text = text_.substr(start, at_ - start);
    if (text_.substr(at_, quote.size()) != quote) {
      diagnostics_.add(
          place, "the string does not end",
          "close it with " + std::string(quote) + (quote.size() == 1 ? " on the same line" : ""));
    } else {
      at_ += quote.size();
    }
    tokens_.push_back({TokenKind::kString, place, text, 0, 0.0});
  }

  bool symbol() {
    std::size_t length = 0;
    bool arithmetic = false;
    for (const OperatorInfo& row : all_operators()) {
      if (row.text.size() > length && text_.substr(at_, row.text.size()) == row.text) {
        length = row.text.size();
        arithmetic = row.kind == OperatorKind::kLeft || row.kind == OperatorKind::kRight;
      }
    }
    if (peek() == '-' && peek(1) == '>') {
      length = 2;
    } else if (arithmetic && peek(length) == '=') {
      ++length;  // `+=` and the like.
    }
    for (const std::string_view mark : kPunctuation) {
      if (length == 0 && text_.substr(at_, mark.size()) == mark) {
        length = mark.size();
      }
    }
    if (length > 0) {
      push(TokenKind::kSymbol, length);
    }
    return length > 0;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> indents_ = {0};
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> lex(std::string_view text, Diagnostics& diagnostics) {
  if (text.size() > kMaxProgramBytes) {
    diagnostics.add({1, 1}, "the program has " + std::to_string(text.size()) + " bytes: at most " +
                                std::to_string(kMaxProgramBytes) + " are allowed");
    text = {};
  }
  if (const std::optional<SourcePlace> place = find_bad_utf8(text)) {
    diagnostics.add(*place, "the text is not UTF-8 here");
    text = {};
  }
  return Lexer(text, diagnostics).run();
}

}  // namespace ws::ir
