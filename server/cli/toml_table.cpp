#include "server/cli/toml_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "server/cli/toml_reader.h"

namespace ws::server {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool begins_with(const TomlPath& path, const TomlPath& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

/// Whether a statement gives `entry` a value in a way that no table can be put beside.
bool other_form(const TomlStatement& statement, const TomlPath& table, const TomlPath& entry) {
  if (statement.list) {
    return begins_with(entry, statement.path) || begins_with(statement.path, entry);
  }
  if (statement.table) {
    return false;
  }
  TomlPath whole = table;
  whole.insert(whole.end(), statement.path.begin(), statement.path.end());
  return begins_with(entry, whole) || (begins_with(whole, entry) && !begins_with(table, entry));
}

struct Section {
  std::size_t from = 0;
  std::size_t end = 0;
};

/// The tables that are `entry` or lie below it, each up to its last statement.
std::vector<Section> sections_of(const std::vector<TomlStatement>& statements,
                                 const TomlPath& entry) {
  std::vector<Section> sections;
  bool inside = false;
  for (const TomlStatement& statement : statements) {
    if (statement.table) {
      inside = begins_with(statement.path, entry);
      if (inside) {
        sections.push_back({statement.from, statement.end});
      }
    } else if (inside) {
      sections.back().end = statement.end;
    }
  }
  return sections;
}

std::string at_the_end(std::string text, const std::string& table) {
  if (!text.empty()) {
    text += text.ends_with('\n') ? "\n" : "\n\n";
  }
  return text + table + "\n";
}

}  // namespace

Result<std::string> put_toml_table(const std::string& text, const std::string& parent,
                                   const std::string& name, const std::vector<std::string>& lines) {
  WS_TRY(const std::vector<TomlStatement> statements, read_toml(text));
  const TomlPath entry = {parent, name};
  TomlPath table;
  for (const TomlStatement& statement : statements) {
    table = statement.table ? statement.path : table;
    if (other_form(statement, table, entry)) {
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(statement.from),
                         '\n');
      return fail(ErrorCode::kInvalidArgument,
                  "line " + std::to_string(line) + " sets " + parent + "." + name +
                      " in another form than [" + parent + "." + name + "]",
                  "change that line by hand");
    }
  }
  std::string written = "[" + parent + "." + name + "]";
  for (const std::string& line : lines) {
    written += "\n" + line;
  }
  const std::vector<Section> sections = sections_of(statements, entry);
  if (sections.empty()) {
    return at_the_end(text, written);
  }
  std::string changed = text;
  for (std::size_t i = sections.size(); i-- > 1;) {
    const std::size_t next = changed.find_first_not_of("\r\n", sections[i].end);
    const std::size_t end = next == kNowhere ? changed.size() : next;
    changed.erase(sections[i].from, end - sections[i].from);
  }
  changed.replace(sections[0].from, sections[0].end - sections[0].from, written);
  return changed;
}

}  // namespace ws::server
