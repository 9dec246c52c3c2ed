#include "server/cli/toml_reader.h"

#include <algorithm>

#include "runtime/base/text.h"

namespace ws::server {
namespace {

/// Splits a text into its statements.
class TomlReader {
 public:
  explicit TomlReader(std::string_view text)
      : text_(text) {}

  Result<std::vector<TomlStatement>> read() {
    std::vector<TomlStatement> all;
    for (skip_blank(); at_ < text_.size(); skip_blank()) {
      WS_TRY(TomlStatement statement, read_statement());
      all.push_back(std::move(statement));
    }
    return all;
  }

 private:
  [[nodiscard]] bool sees(std::string_view word) const {
    return text_.substr(at_).starts_with(word);
  }

  [[nodiscard]] tl::unexpected<Error> bad(const std::string& why) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    return fail(ErrorCode::kInvalidArgument,
                "it is not TOML: line " + std::to_string(line) + ": " + why,
                "mend it, or add the lines by hand");
  }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }

  /// Blanks, line ends and comments.
  void skip_blank() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (!sees("#")) {
        return;
      }
      skip_line();
    }
  }

  Result<TomlStatement> read_statement() {
    TomlStatement statement;
    statement.from = at_;
    statement.table = sees("[");
    statement.list = sees("[[");
    if (statement.table) {
      at_ += statement.list ? 2U : 1U;
    }
    WS_TRY(statement.path, read_path());
    if (statement.table) {
      const std::string_view close = statement.list ? "]]" : "]";
      if (!sees(close)) {
        return bad("the table's name does not end with " + std::string(close));
      }
      at_ += close.size();
    } else {
      if (!sees("=")) {
        return bad("expected `key = value` or `[table]`");
      }
      ++at_;
      WS_CHECK(skip_value());
    }
    skip_spaces();
    if (at_ < text_.size() && !sees("#") && !sees("\n") && !sees("\r\n")) {
      return bad("expected the end of the line");
    }
    skip_line();
    statement.end = at_;
    return statement;
  }

  Result<TomlPath> read_path() {
    TomlPath path;
    for (;;) {
      skip_spaces();
      const std::size_t from = at_;
      if (sees("\"") || sees("'")) {
        WS_CHECK(skip_string());
        path.emplace_back(text_.substr(from + 1, at_ - from - 2));
      } else {
        while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '-')) {
          ++at_;
        }
        path.emplace_back(text_.substr(from, at_ - from));
      }
      if (at_ == from) {
        return bad("expected `key = value` or `[table]`");
      }
      skip_spaces();
      if (!sees(".")) {
        return path;
      }
      ++at_;
    }
  }

  /// A string of any of the four kinds.
  Status skip_string() {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const std::string end = sees(three) ? three : std::string(1, quote);
    at_ += end.size();
    while (at_ < text_.size() && !sees(end)) {
      if (end.size() == 1 && text_[at_] == '\n') {
        break;
      }
      at_ += quote == '"' && text_[at_] == '\\' ? 2U : 1U;
    }
    if (!sees(end) || at_ >= text_.size()) {
      at_ = std::min(at_, text_.size());
      return bad("a string is not closed");
    }
    at_ += end.size();
    // `""""` ends a string whose last character is a quote.
    while (end.size() == 3 && at_ < text_.size() && text_[at_] == quote) {
      ++at_;
    }
    return {};
  }

  /// To the end of the value, which spans lines inside of brackets only.
  Status skip_value() {
    std::string open;
    skip_spaces();
    const std::size_t from = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        WS_CHECK(skip_string());
        continue;
      }
      if (c == '#' && !open.empty()) {
        skip_line();
        continue;
      }
      if (open.empty() && (c == '#' || c == '\n' || c == '\r')) {
        break;
      }
      if (c == '[' || c == '{') {
        open += c == '[' ? ']' : '}';
      } else if (c == ']' || c == '}') {
        if (open.empty() || open.back() != c) {
          return bad("a bracket closes nothing");
        }
        open.pop_back();
      }
      ++at_;
    }
    if (!open.empty()) {
      return bad("a bracket is not closed");
    }
    return at_ == from ? Status(bad("the value is missing")) : Status();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<TomlStatement>> read_toml(std::string_view text) {
  return TomlReader(text).read();
}

}  // namespace ws::server
