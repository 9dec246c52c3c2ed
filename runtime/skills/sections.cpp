// The text after the front matter: a section for each pass, with its lists and tables.
#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/skills/front_matter.h"
#include "runtime/skills/transformation.h"

namespace ws {
namespace {

using Cells = std::map<std::string, std::string>;

constexpr const char* kBlanks = " \n";
constexpr const char* kWordsHeading = "Words";
constexpr const char* kWhat = "what";

/// "| a | b |" -> a, b. A bar inside a cell is written \|.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|') {
      cells.emplace_back(trimmed(cell, kBlanks));
      cell.clear();
      continue;
    }
    const bool escaped = line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|';
    i += escaped ? std::size_t{1} : std::size_t{0};
    cell.push_back(line[i]);
  }
  return cells;
}

/// Where in the text reading is.
struct Cursor {
  const std::vector<std::string>& lines;
  std::size_t at = 0;

  [[nodiscard]] bool more() const { return at < lines.size(); }

  [[nodiscard]] const std::string& line() const { return lines[at]; }

  [[nodiscard]] std::size_t number() const { return at + 1; }
};

/// Lines up to the next heading of a section or part; code between fences has no headings.
std::string take_text(Cursor& cursor) {
  std::string text;
  bool code = false;
  while (cursor.more() &&
         (code || !(cursor.line().starts_with("## ") || cursor.line().starts_with("### ")))) {
    code = cursor.line().starts_with("```") ? !code : code;
    text += cursor.line() + "\n";
    ++cursor.at;
  }
  return std::string(trimmed(text, kBlanks));
}

/// "- text", continued on lines indented by two.
Result<std::vector<std::string>> take_list(Cursor& cursor) {
  std::vector<std::string> items;
  for (; cursor.more() && !cursor.line().starts_with("#"); ++cursor.at) {
    const std::string& line = cursor.line();
    if (line.starts_with("- ")) {
      items.push_back(line.substr(2));
    } else if (line.starts_with("  ") && !items.empty()) {
      items.back().append(" ").append(trimmed(line, kBlanks));
    } else if (!line.empty()) {
      return wrong_line(cursor.number(), "expected `- text`, or its next line indented by two");
    }
  }
  return items;
}

/// A table with a column `what` and one for each language.
Result<std::vector<Cells>> take_table(Cursor& cursor, const Transformation& transformation) {
  std::vector<std::string> head;
  std::vector<Cells> rows;
  for (; cursor.more() && !cursor.line().starts_with("#"); ++cursor.at) {
    if (!cursor.line().starts_with("|")) {
      if (!cursor.line().empty()) {
        return wrong_line(cursor.number(), "expected a row of a table, `| ... |`");
      }
      continue;
    }
    const std::vector<std::string> cells = cells_of(cursor.line());
    if (head.empty()) {
      head = cells;
      std::vector<std::string> wanted = {kWhat};
      wanted.insert(wanted.end(), transformation.languages.begin(), transformation.languages.end());
      if (head != wanted) {
        return wrong_line(cursor.number(),
                          "the columns must be `what` and then `languages`, in order");
      }
      continue;
    }
    if (cells.size() != head.size()) {
      return wrong_line(cursor.number(), "a row of " + std::to_string(cells.size()) +
                                             " cells below " + std::to_string(head.size()) +
                                             " columns");
    }
    if (cells.front().find_first_not_of("-:") == std::string::npos) {
      continue;  // The line below the head.
    }
    Cells& row = rows.emplace_back();
    for (std::size_t i = 0; i < head.size(); ++i) {
      row[head[i]] = cells[i];
    }
  }
  return rows;
}

Status read_part(Cursor& cursor, const Transformation& transformation, Pass& pass) {
  const std::size_t number = cursor.number();
  const std::string title = cursor.line().substr(4);
  ++cursor.at;
  if (title == "Keep") {
    WS_TRY(pass.keep, take_list(cursor));
  } else if (title == "Pitfalls") {
    WS_TRY(pass.pitfalls, take_list(cursor));
  } else if (title == "Check") {
    pass.test = take_text(cursor);
  } else if (title == kWordsHeading) {
    WS_TRY(pass.words, take_table(cursor, transformation));
  } else {
    return wrong_line(number, "unknown part `" + title + "`",
                      "known: Keep, Pitfalls, Check, Words");
  }
  return {};
}

/// A pass's section, its heading read already.
Status read_pass_section(Cursor& cursor, const Transformation& transformation, Pass& pass) {
  const std::size_t heading = cursor.at;  // The line before holds the heading.
  pass.instruction = take_text(cursor);
  while (cursor.more() && cursor.line().starts_with("### ")) {
    WS_CHECK(read_part(cursor, transformation, pass));
  }
  const auto missing = [&](const char* what) {
    return wrong_line(heading, "pass `" + pass.name + "` has no " + what);
  };
  if (pass.instruction.empty()) {
    return missing("instruction");
  }
  if (pass.keep.empty()) {
    return missing("part `### Keep`");
  }
  return pass.test.empty() ? Status(missing("part `### Check`")) : Status();
}

}  // namespace

Status read_sections(const std::vector<std::string>& lines, std::size_t first,
                     Transformation& transformation) {
  Cursor cursor{lines, first};
  take_text(cursor);  // An introduction, for people.
  std::size_t next = 0;
  while (cursor.more()) {
    const std::size_t number = cursor.number();
    const std::string title = cursor.line();
    ++cursor.at;
    if (title == std::string("## ") + kWordsHeading) {
      WS_TRY(transformation.words, take_table(cursor, transformation));
      continue;
    }
    const std::string wanted =
        next < transformation.passes.size()
            ? "## " + std::to_string(next + 1) + ". " + transformation.passes[next].name
            : "no more sections";
    if (title != wanted) {
      return wrong_line(number, "expected `" + wanted + "`, got `" + title + "`",
                        "sections stand in the order of `passes`, with their names");
    }
    WS_CHECK(read_pass_section(cursor, transformation, transformation.passes[next]));
    ++next;
  }
  if (next < transformation.passes.size()) {
    return wrong_line(
        lines.size(), "pass `" + transformation.passes[next].name + "` has no section",
        "write `## " + std::to_string(next + 1) + ". " + transformation.passes[next].name + "`");
  }
  return {};
}

std::vector<std::string> names_between(const std::string& text, const std::string& open,
                                       const std::string& close) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
    std::size_t end = at + open.size();
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    const std::string name = text.substr(at + open.size(), end - at - open.size());
    if (!name.empty() && text.compare(end, close.size(), close) == 0 &&
        std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace ws
