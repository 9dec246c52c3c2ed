#include "runtime/skills/front_matter.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"

namespace ws {
namespace {

constexpr const char* kSpace = " ";  // Tabs are refused.
constexpr const char* kMark = "---";
constexpr std::size_t kStep = 2;       // Spaces of one level.
constexpr std::size_t kMaxLevels = 6;  // Deeper than any of our files; bounds the recursion.

/// A line that says something.
struct FrontMatterLine {
  std::size_t number = 0;
  std::size_t indent = 0;
  std::string_view text;
};

/// The colon after a key, or npos.
std::size_t colon_of(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_word(text[at])) {
    ++at;
  }
  const bool ends = at + 1 >= text.size() || text[at + 1] == ' ';
  return at > 0 && at < text.size() && text[at] == ':' && ends ? at : std::string_view::npos;
}

Result<nlohmann::json> quoted_text(std::string_view text, std::size_t line) {
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '"') {
      return wrong_line(line, "a quote inside a quoted text", "write it as \\\"");
    }
    if (text[i] == '\\') {
      ++i;
      if (i + 1 >= text.size() || (text[i] != '"' && text[i] != '\\')) {
        return wrong_line(line, "only \\\" and \\\\ may be escaped");
      }
    }
    value.push_back(text[i]);
  }
  return nlohmann::json(value);
}

Result<nlohmann::json> scalar(std::string_view text, std::size_t line) {
  if (text.front() == '"') {
    return text.size() > 1 && text.back() == '"'
               ? quoted_text(text, line)
               : Result<nlohmann::json>(wrong_line(line, "a quoted text without its end"));
  }
  constexpr std::string_view kMarks = "&*!|>{}[]%@`'#,?";
  if (kMarks.find(text.front()) != std::string_view::npos ||
      text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos ||
      text.back() == ':') {
    return wrong_line(line, "`" + std::string(text) + "` is not plain text",
                      "put it in double quotes");
  }
  if (text == "true" || text == "false") {
    return nlohmann::json(text == "true");
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return nlohmann::json(number);
  }
  return nlohmann::json(std::string(text));
}

/// The comma or bracket that ends the item at `from`; npos: there is none.
std::size_t item_end(std::string_view text, std::size_t from) {
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == ',' || text[i] == ']')) {
      return i;
    }
  }
  return std::string_view::npos;
}

class FrontMatterReader {
 public:
  FrontMatterReader(std::vector<FrontMatterLine> rows, LineMap& lines)
      : rows_(std::move(rows)),
        lines_(lines) {}

  Result<nlohmann::json> document() {
    WS_TRY(nlohmann::json value, map(0, kFrontMatter, 0));
    if (at_ < rows_.size()) {
      return wrong_line(rows_[at_].number, "a line that is indented by " +
                                               std::to_string(rows_[at_].indent) +
                                               " spaces where none were expected");
    }
    return value;
  }

 private:
  [[nodiscard]] bool here(std::size_t indent) const {
    return at_ < rows_.size() && rows_[at_].indent == indent;
  }

  Result<nlohmann::json> inline_list(std::string_view text, std::size_t line,
                                     const std::string& path) {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t from = 1; from < text.size();) {
      const std::size_t end = item_end(text, from);
      const bool last = end != std::string_view::npos && text[end] == ']';
      if (end == std::string_view::npos || (last && end + 1 != text.size())) {
        return wrong_line(line, "a list without its end", "write [a, b] on one line");
      }
      const std::string_view item = trimmed(text.substr(from, end - from), kSpace);
      if (item.empty() && last && list.empty()) {
        break;
      }
      if (item.empty()) {
        return wrong_line(line, "an empty item in a list");
      }
      lines_[path + "[" + std::to_string(list.size()) + "]"] = line;
      WS_TRY(nlohmann::json value, scalar(item, line));
      list.push_back(std::move(value));
      from = last ? text.size() : end + 1;
    }
    return list;
  }

  Result<nlohmann::json> value_of(std::string_view text, std::size_t line,
                                  const std::string& path) {
    return text.front() == '[' ? inline_list(text, line, path) : scalar(text, line);
  }

  /// Reads the block below a key.
  Result<nlohmann::json> block(std::size_t indent, const std::string& path, std::size_t level,
                               std::size_t line) {
    if (!here(indent)) {
      return wrong_line(line, "a key without a value",
                        "write it on the same line, or below, two spaces deeper");
    }
    return rows_[at_].text.starts_with("- ") ? list(indent, path, level) : map(indent, path, level);
  }

  Result<nlohmann::json> map(std::size_t indent, const std::string& path, std::size_t level) {
    nlohmann::json value = nlohmann::json::object();
    if (level > kMaxLevels) {
      return wrong_line(rows_[at_].number, "nested too deeply");
    }
    while (here(indent)) {
      const FrontMatterLine row = rows_[at_++];
      const std::size_t colon = colon_of(row.text);
      if (colon == std::string_view::npos) {
        return wrong_line(
            row.number, "expected `key: value`, got `" + std::string(row.text.substr(0, 40)) + "`");
      }
      const std::string key(row.text.substr(0, colon));
      if (value.contains(key)) {
        return wrong_line(row.number, "`" + key + "` is there twice");
      }
      const std::string place = path + "." + key;
      lines_[place] = row.number;
      const std::string_view rest = trimmed(row.text.substr(colon + 1), kSpace);
      WS_TRY(value[key], rest.empty() ? block(indent + kStep, place, level + 1, row.number)
                                      : value_of(rest, row.number, place));
    }
    return value;
  }

  Result<nlohmann::json> list(std::size_t indent, const std::string& path, std::size_t level) {
    nlohmann::json value = nlohmann::json::array();
    while (here(indent) && rows_[at_].text.starts_with("- ")) {
      FrontMatterLine& row = rows_[at_];
      const std::string place = path + "[" + std::to_string(value.size()) + "]";
      lines_[place] = row.number;
      const std::string_view item = trimmed(row.text.substr(2), kSpace);
      if (item.empty()) {
        return wrong_line(row.number, "an empty item in a list");
      }
      if (colon_of(item) == std::string_view::npos) {
        ++at_;
        WS_TRY(nlohmann::json text, value_of(item, row.number, place));
        value.push_back(std::move(text));
        continue;
      }
      row.indent += kStep;  // The first key of a map follows the dash.
      row.text = item;
      WS_TRY(nlohmann::json fields, map(indent + kStep, place, level + 1));
      value.push_back(std::move(fields));
    }
    return value;
  }

  std::vector<FrontMatterLine> rows_;
  LineMap& lines_;
  std::size_t at_ = 0;
};

}  // namespace

tl::unexpected<Error> wrong_line(std::size_t line, const std::string& what, std::string hint) {
  return fail(ErrorCode::kInvalidArgument, "line " + std::to_string(line) + ": " + what,
              std::move(hint));
}

Result<std::size_t> read_front_matter(const std::vector<std::string>& text, nlohmann::json& value,
                                      LineMap& lines) {
  if (text.empty() || text.front() != kMark) {
    return wrong_line(1, "the file does not begin with a line `---`");
  }
  const auto end = std::find(text.begin() + 1, text.end(), kMark);
  if (end == text.end()) {
    return wrong_line(1, "the front matter has no end", "close it with a line `---`");
  }
  std::vector<FrontMatterLine> rows;
  for (auto line = text.begin() + 1; line != end; ++line) {
    const auto number = static_cast<std::size_t>(line - text.begin()) + 1;
    if (line->find('\t') != std::string::npos) {
      return wrong_line(number, "a tab", "indent by spaces");
    }
    const std::string_view said = trimmed(*line, kSpace);
    if (!said.empty() && said.front() != '#') {
      rows.push_back({number, std::min(line->find_first_not_of(' '), line->size()), said});
    }
  }
  lines[kFrontMatter] = 1;
  WS_TRY(value, FrontMatterReader(std::move(rows), lines).document());
  return static_cast<std::size_t>(end - text.begin()) + 1;
}

std::size_t line_of(const LineMap& lines, const std::string& message) {
  std::size_t line = 1;
  std::size_t longest = 0;
  for (const auto& [path, number] : lines) {
    const bool ends = message.size() > path.size() && !is_word(message[path.size()]);
    if (path.size() > longest && ends && message.starts_with(path)) {
      line = number;
      longest = path.size();
    }
  }
  return line;
}

}  // namespace ws
