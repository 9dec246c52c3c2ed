#include "runtime/compile/clang/ptx/lexer.h"

#include <algorithm>

#include <llvm/ADT/StringExtras.h>

namespace ws::clang_engine::ptx {
namespace {

/// A part of a name as LLVM keeps it, and as it stands in the source.
struct NamePart {
  llvm::StringRef kept;
  const char* written;
};

constexpr NamePart kNameParts[] = {
    {"${:uid}", "%="},  // It makes a label's name another one at each place.
    {"$$", "$"},
    {"::", "::"},  // It belongs to a modifier, `shared::cta`; one colon ends a label.
};

bool begins_word(llvm::StringRef text) {
  return llvm::isAlpha(text.front()) || llvm::StringRef("_%.").contains(text.front()) ||
         text.starts_with("$$");
}

bool goes_on_in_word(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

class Lexer {
 public:
  Lexer(llvm::StringRef text, Complaint& complaint)
      : rest_(text),
        complaint_(complaint) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skip_blanks() && complaint_.message.empty()) {
      tokens.push_back(next());
    }
    tokens.push_back({Token::Kind::kEnd, "the end of the text", line_});
    return tokens;
  }

 private:
  /// Skips spaces and comments. False at the end.
  bool skip_blanks() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        rest_ = rest_.drop_front(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = std::min(rest_.find("*/"), rest_.size());
        line_ += static_cast<unsigned>(rest_.take_front(end).count('\n'));
        rest_ = rest_.drop_front(std::min(end + 2, rest_.size()));
      } else if (llvm::isSpace(rest_.front())) {
        line_ += rest_.front() == '\n' ? 1 : 0;
        rest_ = rest_.drop_front();
      } else {
        return true;
      }
    }
    return false;
  }

  Token take(Token::Kind kind, std::size_t characters) {
    Token token{kind, rest_.take_front(characters).str(), line_};
    rest_ = rest_.drop_front(characters);
    return token;
  }

  Token next() {
    if (begins_word(rest_)) {
      return word();
    }
    if (rest_.front() == '$') {
      return argument();
    }
    return llvm::isDigit(rest_.front()) ? number() : take(Token::Kind::kMark, 1);
  }

  Token word() {
    Token token{Token::Kind::kWord, "", line_};
    if (llvm::StringRef("%.").contains(rest_.front())) {
      token.text = rest_.front();
      rest_ = rest_.drop_front();
    }
    while (take_part(token.text)) {
    }
    if (token.text == "$") {
      refuse_dollar();
    }
    return token;
  }

  /// Adds the next letter of a name, or a part of several. False where it ends.
  bool take_part(std::string& name) {
    for (const NamePart& part : kNameParts) {
      if (rest_.consume_front(part.kept)) {
        name += part.written;
        return true;
      }
    }
    if (rest_.empty() || !goes_on_in_word(rest_.front())) {
      return false;
    }
    name += rest_.front();
    rest_ = rest_.drop_front();
    return true;
  }

  void refuse_dollar() { complaint_ = {"`$` is no operand", true, line_}; }

  /// A sign belongs to a number only behind its exponent.
  Token number() {
    const bool hexadecimal = rest_.starts_with_insensitive("0x") ||
                             rest_.starts_with_insensitive("0f") ||
                             rest_.starts_with_insensitive("0d");
    std::size_t end = 1;
    while (end < rest_.size()) {
      const char before = llvm::toLower(rest_[end - 1]);
      const bool sign = (rest_[end] == '+' || rest_[end] == '-') && before == 'e' && !hexadecimal;
      if (!llvm::isAlnum(rest_[end]) && rest_[end] != '.' && !sign) {
        break;
      }
      ++end;
    }
    return take(Token::Kind::kNumber, end);
  }

  /// `$0`, or `${0:h}` with a letter that has no meaning for registers.
  Token argument() {
    llvm::StringRef after = rest_.drop_front();
    const bool braces = after.consume_front("{");
    const llvm::StringRef digits = after.take_while([](char c) { return llvm::isDigit(c); });
    after = after.drop_front(digits.size());
    if (braces) {
      after = after.drop_front(std::min(after.find('}'), after.size()));
    }
    if (digits.empty() || (braces && !after.consume_front("}"))) {
      refuse_dollar();
      return take(Token::Kind::kMark, 1);
    }
    Token token{Token::Kind::kArgument, digits.str(), line_};
    rest_ = after;
    return token;
  }

  llvm::StringRef rest_;
  Complaint& complaint_;
  unsigned line_ = 1;
};

}  // namespace

std::vector<Token> split_into_tokens(llvm::StringRef text, Complaint& complaint) {
  return Lexer(text, complaint).run();
}

}  // namespace ws::clang_engine::ptx
