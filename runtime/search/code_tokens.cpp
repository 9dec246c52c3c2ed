#include "runtime/search/code_tokens.h"

#include <algorithm>
#include <array>

#include "runtime/base/text.h"

namespace ws {
namespace {

using Kind = CodeToken::Kind;

/// Each may give a place in the text, or the text itself, a meaning.
constexpr std::array<std::string_view, 12> kRefused = {"??",
                                                       "R\"",
                                                       "%:",
                                                       "<:",
                                                       "<%",
                                                       "__LINE__",
                                                       "__builtin_LINE",
                                                       "__builtin_COLUMN",
                                                       "__builtin_FILE",
                                                       "source_location",
                                                       "assert",
                                                       "__VA_OPT__"};

constexpr std::string_view kSpace = " \t\f\v";
/// Two of these may be one operator.
constexpr std::string_view kJoining = "+-*/%^&|!=<>:.";
constexpr std::string_view kSingle = "(){}[];,?~";

/// A backslash before the end of a line joins two lines, also where spaces come between.
bool joins_lines(std::string_view source) {
  for (std::size_t at = source.find('\\'); at != source.npos; at = source.find('\\', at + 1)) {
    const std::size_t next = source.find_first_not_of(kSpace, at + 1);
    if (next == source.npos || source[next] == '\n') {
      return true;
    }
  }
  return false;
}

bool is_refused(std::string_view source) {
  const bool odd_bytes = std::any_of(source.begin(), source.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0 || byte == '\r';
  });
  return odd_bytes || joins_lines(source) ||
         std::any_of(kRefused.begin(), kRefused.end(),
                     [&](std::string_view part) { return source.find(part) != source.npos; });
}

/// Reads one source from its beginning to its end.
class Reader {
 public:
  explicit Reader(std::string_view source)
      : rest_(source) {}

  std::optional<std::vector<CodeToken>> run() {
    while (skip_space()) {
      if (!(rest_[0] == '#' && line_begins_ ? read_directive() : read_token())) {
        return std::nullopt;
      }
    }
    return failed_ ? std::nullopt : std::optional(std::move(tokens_));
  }

 private:
  /// @return  False at the end, or where a comment does not end.
  bool skip_space() {
    while (!rest_.empty()) {
      if (rest_[0] == '\n' || kSpace.find(rest_[0]) != kSpace.npos) {
        line_begins_ = line_begins_ || rest_[0] == '\n';
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        failed_ = end == rest_.npos;
        if (failed_) {
          return false;
        }
        rest_.remove_prefix(end + 2);
      } else {
        return true;
      }
      separated_ = true;
    }
    return false;
  }

  bool read_directive() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    const bool uses_text = line.find('#', 1) != line.npos || line.find("/*") != line.npos;
    if (end == rest_.npos || uses_text || !is_ascii(line)) {
      return false;
    }
    const std::size_t comment = line.find("//");
    if (line.substr(0, comment).find_first_of("\"'<") == line.npos) {
      line = line.substr(0, comment);
    }
    const std::size_t last = line.find_last_not_of(kSpace);
    tokens_.push_back({Kind::kDirective, line.substr(0, last + 1), false});
    rest_.remove_prefix(end);
    return true;
  }

  bool read_token() {
    const std::size_t length = length_of_next();
    if (length == 0) {
      return false;
    }
    CodeToken token{kind_, rest_.substr(0, length), false};
    if (!tokens_.empty() && !separated_) {
      token.glued = matters(tokens_.back(), token);
    }
    tokens_.push_back(token);
    rest_.remove_prefix(length);
    line_begins_ = false;
    separated_ = false;
    return true;
  }

  /// Sets `kind_`. @return  0: this is no token that it knows.
  std::size_t length_of_next() {
    const char first = rest_[0];
    const bool after_dot = first == '.' && rest_.size() > 1 && is_digit(rest_[1]);
    if (is_digit(first) || after_dot) {
      kind_ = Kind::kNumber;
      return number_length();
    }
    if (is_word_start(first)) {
      kind_ = Kind::kWord;
      return word_length(0);
    }
    if (first == '"' || first == '\'') {
      kind_ = Kind::kText;
      return quoted_length();
    }
    if (first == '@') {
      kind_ = Kind::kParameter;
      const std::size_t end = 1 + word_length(1);
      return end > 1 && end < rest_.size() && rest_[end] == '@' ? end + 1 : 0;
    }
    kind_ = Kind::kSymbol;
    return kJoining.find(first) != kJoining.npos || kSingle.find(first) != kSingle.npos ? 1 : 0;
  }

  [[nodiscard]] std::size_t word_length(std::size_t from) const {
    const std::string_view text = rest_.substr(from);
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) -
                                    text.begin());
  }

  [[nodiscard]] std::size_t number_length() const {
    std::size_t end = 1;
    while (end < rest_.size()) {
      const bool exponent = std::string_view("eEpP").find(rest_[end - 1]) != std::string_view::npos;
      const bool sign = exponent && (rest_[end] == '+' || rest_[end] == '-');
      if (!is_word(rest_[end]) && rest_[end] != '.' && rest_[end] != '\'' && !sign) {
        break;
      }
      ++end;
    }
    return end;
  }

  [[nodiscard]] std::size_t quoted_length() const {
    for (std::size_t at = 1; at < rest_.size() && rest_[at] != '\n'; ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == rest_[0]) {
        return is_ascii(rest_.substr(0, at)) ? at + 1 : 0;
      }
    }
    return 0;
  }

  static bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }

  static bool matters(const CodeToken& before, const CodeToken& token) {
    const auto is = [&](Kind kind) { return before.kind == kind || token.kind == kind; };
    const bool operators = before.kind == Kind::kSymbol && token.kind == Kind::kSymbol &&
                           kJoining.find(before.text[0]) != kJoining.npos &&
                           kJoining.find(token.text[0]) != kJoining.npos;
    return operators || is(Kind::kText) || is(Kind::kParameter);
  }

  std::string_view rest_;
  std::vector<CodeToken> tokens_;
  Kind kind_ = Kind::kSymbol;
  bool line_begins_ = true;
  bool separated_ = true;
  bool failed_ = false;
};

}  // namespace

std::optional<std::vector<CodeToken>> code_tokens(std::string_view source) {
  return is_refused(source) ? std::nullopt : Reader(source).run();
}

}  // namespace ws
