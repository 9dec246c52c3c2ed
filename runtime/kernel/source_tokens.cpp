#include "runtime/kernel/source_tokens.h"

#include <array>
#include <cctype>

namespace ws {
namespace {

/// Longest first among those with a common start.
constexpr std::array<std::string_view, 26> kLongMarks = {
    "<<=", ">>=", "<=>", "...", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "->", "::", ".*"};

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view source)
      : source_(source) {}

  std::optional<std::vector<SourceToken>> scan() {
    // Spliced lines, other spellings of brackets, and what reads its own place or a name in a text.
    for (const std::string_view word : {"\\\n", "\\\r", "__LINE__", "__COUNTER__", "R\"", "??",
                                        "<%", "%>", "<:", ":>", "%:", "%["}) {
      if (source_.find(word) != std::string_view::npos) {
        return std::nullopt;
      }
    }
    while (skip_blank()) {
      if (!take()) {
        return std::nullopt;
      }
    }
    return good_ ? std::optional(std::move(tokens_)) : std::nullopt;
  }

 private:
  [[nodiscard]] std::string_view rest() const { return source_.substr(at_); }

  /// To the next token; false: there is none, or a comment does not end.
  bool skip_blank() {
    while (at_ < source_.size()) {
      if (rest().starts_with("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (rest().starts_with("/*")) {
        const std::size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          good_ = false;
          return false;
        }
        at_ = end + 2;
      } else if (std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
        line_start_ = line_start_ || source_[at_] == '\n';
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  bool take() {
    const char c = source_[at_];
    if (c == '#') {
      return take_directive();
    }
    line_start_ = false;
    if (is_name_start(c)) {
      return take_while(TokenKind::kName, is_name_part);
    }
    const bool fraction = c == '.' && at_ + 1 < source_.size() &&
                          std::isdigit(static_cast<unsigned char>(source_[at_ + 1])) != 0;
    if (fraction || std::isdigit(static_cast<unsigned char>(c)) != 0) {
      return take_number();
    }
    if (c == '"' || c == '\'') {
      return take_quoted(c);
    }
    return take_mark();
  }

  bool add(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, source_.substr(at_, end - at_)});
    at_ = end;
    return true;
  }

  template <typename Part>
  bool take_while(TokenKind kind, Part part) {
    std::size_t end = at_;
    while (end < source_.size() && part(source_[end])) {
      ++end;
    }
    return add(kind, end);
  }

  bool take_number() {
    std::size_t end = at_ + 1;
    const auto more = [&](char c) {
      const bool sign = c == '+' || c == '-';
      const bool exponent =
          std::string_view("eEpP").find(source_[end - 1]) != std::string_view::npos;
      return is_name_part(c) || c == '.' || c == '\'' || (sign && exponent);
    };
    while (end < source_.size() && more(source_[end])) {
      ++end;
    }
    return add(TokenKind::kText, end);
  }

  bool take_quoted(char quote) {
    for (std::size_t end = at_ + 1; end < source_.size() && source_[end] != '\n'; ++end) {
      if (source_[end] == '\\') {
        ++end;
      } else if (source_[end] == quote) {
        return add(TokenKind::kText, end + 1);
      }
    }
    return false;
  }

  bool take_mark() {
    if (source_[at_] == '@') {
      std::size_t end = at_ + 1;
      while (end < source_.size() && is_name_part(source_[end])) {
        ++end;
      }
      return end < source_.size() && source_[end] == '@' && add(TokenKind::kMark, end + 1);
    }
    for (const std::string_view mark : kLongMarks) {
      if (rest().starts_with(mark)) {
        return add(TokenKind::kMark, at_ + mark.size());
      }
    }
    return add(TokenKind::kMark, at_ + 1);
  }

  /// To the end of its line. A comment in it, or a second `#` (which makes text of its argument),
  /// is more than this knows.
  bool take_directive() {
    const std::size_t end = std::min(source_.find('\n', at_), source_.size());
    const std::string_view line = source_.substr(at_, end - at_);
    if (!line_start_ || line.find('#', 1) != std::string_view::npos ||
        line.find("/*") != std::string_view::npos) {
      return false;
    }
    const std::size_t comment = line.find("//");
    const std::size_t length = comment == std::string_view::npos ? line.size() : comment;
    tokens_.push_back({TokenKind::kDirective, line.substr(0, length)});
    at_ = end;
    return true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  bool good_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::optional<std::vector<SourceToken>> source_tokens(std::string_view source) {
  return Scanner(source).scan();
}

}  // namespace ws
