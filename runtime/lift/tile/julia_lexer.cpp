#include "runtime/lift/tile/julia_lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ws::lift::tile {
namespace {

using Kind = JuliaToken::Kind;

// The longest first, so that the first that fits is taken.
constexpr std::array<std::string_view, 66> kJuliaOperators = {
    ">>>=", ".>>>", "...", "===", "!==", ".<<", ".>>", ">>>", "<<=", ">>=", ".+=",
    ".-=",  ".*=",  "./=", ".==", ".!=", ".<=", ".>=", ".&&", ".||", ".÷",  ".≤",
    ".≥",   ".≠",   ".⊻",  "÷=",  "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=",
    "^=",   "==",   "!=",  "<=",  ">=",  "&&",  "||",  "->",  "=>",  "<:",  ">:",
    "::",   "<<",   ">>",  "//",  "|>",  ".+",  ".-",  ".*",  "./",  ".^",  ".%",
    ".&",   ".|",   ".<",  ".>",  ".=",  "÷",   "≤",   "≥",   "≠",   "⊻",   "∈"};
constexpr std::string_view kSingle = "+-*/\\^%&|<>=!~?:.$'";

bool starts_name(unsigned char c) {
  return std::isalpha(c) != 0 || c == '_' ||
         c >= 0xC3;  // Beyond ASCII: Greek letters and the like.
}

bool continues_name(unsigned char c) {
  return std::isalnum(c) != 0 || c == '_' || c >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text)
      : text_(text) {}

  std::vector<JuliaToken> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' || c == ';') {
        add(Kind::kNewline, 1);
      } else if (c == ' ' || c == '\t' || c == '\r') {
        spaced_ = true;
        ++at_;
      } else if (c == '#') {
        skip_comment();
      } else {
        token(c);
      }
    }
    add(Kind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  JuliaToken& add(Kind kind, std::size_t length) {
    JuliaToken token;
    token.kind = kind;
    token.text = text_.substr(at_, length);
    token.line = line_;
    token.column = static_cast<int>(at_ - line_start_) + 1;
    token.spaced = spaced_;
    spaced_ = false;
    for (std::size_t i = 0; i < length; ++i, ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
    }
    tokens_.push_back(std::move(token));
    return tokens_.back();
  }

  void skip_comment() {
    if (text_.substr(at_).starts_with("#=")) {
      std::size_t depth = 0;
      do {
        const std::string_view rest = text_.substr(at_);
        const bool opens = rest.starts_with("#=");
        const bool closes = rest.starts_with("=#");
        depth += opens ? 1U : 0U;
        depth -= closes ? 1U : 0U;
        if (rest.front() == '\n') {
          ++line_;
          line_start_ = at_ + 1;
        }
        at_ += opens || closes ? 2U : 1U;
      } while (depth > 0 && at_ < text_.size());
      return;
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void token(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '(' || c == '[' || c == '{') {
      add(Kind::kOpen, 1);
    } else if (c == ')' || c == ']' || c == '}') {
      add(Kind::kClose, 1);
    } else if (c == ',') {
      add(Kind::kComma, 1);
    } else if (std::isdigit(byte) != 0 ||
               (c == '.' && at_ + 1 < text_.size() &&
                std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0)) {
      number();
    } else if (c == '"') {
      quoted();
    } else if (c == '@' || is_name_here(byte)) {
      name(c == '@');
    } else {
      operation();
    }
  }

  /// Operators that are letters of Unicode are no names.
  [[nodiscard]] bool is_name_here(unsigned char byte) const {
    return starts_name(byte) && std::ranges::none_of(kJuliaOperators, [this](std::string_view op) {
             return text_.substr(at_).starts_with(op);
           });
  }

  void name(bool macro) {
    std::size_t end = at_ + (macro ? 1U : 0U);
    while (end < text_.size() && continues_name(static_cast<unsigned char>(text_[end]))) {
      ++end;
    }
    // `copyto!`, but not `a != b`.
    if (end < text_.size() && text_[end] == '!' && text_.substr(end, 2) != "!=") {
      ++end;
    }
    add(macro ? Kind::kMacro : Kind::kName, end - at_);
  }

  void number() {
    std::size_t end = at_;
    bool real = false;
    const bool hexadecimal = text_.substr(at_).starts_with("0x");
    if (hexadecimal) {
      end += 2;
      while (end < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[end])) != 0) {
        ++end;
      }
    } else {
      const auto digits = [&] {
        while (end < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_')) {
          ++end;
        }
      };
      digits();
      // `1:n` and `1 .+ x` are no fractions.
      if (end < text_.size() && text_[end] == '.' &&
          (end + 1 == text_.size() ||
           std::string_view("+-*/^<>=&|%").find(text_[end + 1]) == std::string_view::npos) &&
          text_.substr(end, 2) != "..") {
        real = true;
        ++end;
        digits();
      }
      if (end + 1 < text_.size() && (text_[end] == 'e' || text_[end] == 'f' || text_[end] == 'E')) {
        const std::size_t sign = text_[end + 1] == '-' || text_[end + 1] == '+' ? 1 : 0;
        if (end + 1 + sign < text_.size() &&
            std::isdigit(static_cast<unsigned char>(text_[end + 1 + sign])) != 0) {
          real = true;
          end += 1 + sign;
          digits();
        }
      }
    }
    std::string digits(text_.substr(at_, end - at_));
    std::erase(digits, '_');
    std::ranges::replace(digits, 'f', hexadecimal ? 'f' : 'e');
    JuliaToken& token = add(real ? Kind::kFloat : Kind::kInteger, end - at_);
    if (real) {
      token.number = std::strtod(digits.c_str(), nullptr);
      return;
    }
    const char* const first = digits.data() + (hexadecimal ? 2 : 0);
    const auto [stop, error] =
        std::from_chars(first, digits.data() + digits.size(), token.integer, hexadecimal ? 16 : 10);
    if (error != std::errc()) {
      token.kind = Kind::kBad;
      token.text = "the number `" + digits + "`, which does not fit in 64 bits";
    }
  }

  void quoted() {
    const bool triple = text_.substr(at_).starts_with("\"\"\"");
    const std::string_view quote = triple ? "\"\"\"" : "\"";
    std::size_t end = at_ + quote.size();
    while (end < text_.size() && !text_.substr(end).starts_with(quote)) {
      end += text_[end] == '\\' ? 2U : 1U;
    }
    if (end >= text_.size()) {
      add(Kind::kBad, text_.size() - at_).text = "a text that does not end";
      return;
    }
    JuliaToken& token = add(Kind::kText, end + quote.size() - at_);
    token.text = token.text.substr(quote.size(), token.text.size() - 2 * quote.size());
  }

  void operation() {
    const std::string_view rest = text_.substr(at_);
    const auto known = std::ranges::find_if(
        kJuliaOperators, [&](std::string_view op) { return rest.starts_with(op); });
    if (known != kJuliaOperators.end()) {
      add(Kind::kOperator, known->size());
    } else if (kSingle.find(rest.front()) != std::string_view::npos) {
      add(Kind::kOperator, 1);
    } else {
      std::size_t length = 1;  // All bytes of a letter of Unicode.
      while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0U) == 0x80U) {
        ++length;
      }
      add(Kind::kBad, length).text = "`" + std::string(rest.substr(0, length)) + "`";
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool spaced_ = false;
  std::vector<JuliaToken> tokens_;
};

}  // namespace

std::vector<JuliaToken> julia_tokens(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace ws::lift::tile
