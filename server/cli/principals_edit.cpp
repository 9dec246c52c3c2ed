#include "server/cli/principals_edit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/nearest.h"
#include "server/cli/toml_reader.h"

namespace ws::server {
namespace {

struct TextRange {
  std::size_t from = 0;
  std::size_t end = 0;
};

/// A [[principal]] with its keys and its tokens.
struct Extent {
  TextRange all;
  std::vector<TextRange> tokens{};  ///< The parts of each token; the one of the table itself
                                    ///< has a range for each of its keys.
  std::size_t own_keys = 0;         ///< The ranges of the table's own token.
};

void add_to(Extent& extent, const TomlStatement& statement) {
  extent.all.end = statement.end;
  if (statement.table) {
    extent.tokens.push_back({statement.from, statement.end});
  } else if (extent.tokens.size() > extent.own_keys) {
    extent.tokens.back().end = statement.end;
  } else if (statement.path.back() == "hash" || statement.path.back() == "expires") {
    extent.tokens.push_back({statement.from, statement.end});
    ++extent.own_keys;
  }
}

std::vector<Extent> tables_of(const std::vector<TomlStatement>& statements) {
  std::vector<Extent> tables;
  bool inside = false;
  for (const TomlStatement& statement : statements) {
    const bool ours = statement.table && statement.path.front() == "principal";
    if (ours && statement.path.size() == 1) {
      tables.push_back({.all = {statement.from, statement.end}});
    }
    inside = statement.table ? ours && !tables.empty() : inside;
    if (inside && (!statement.table || statement.path.size() > 1)) {
      add_to(tables.back(), statement);
    }
  }
  return tables;
}

/// The place of a principal in the text. @errors As without_principal().
Result<Extent> extent_of(const std::string& text, const std::string& name,
                         const std::string& file) {
  WS_TRY(const PrincipalsFile parsed, parse_principals(text, file));
  const auto at = std::find_if(parsed.entries.begin(), parsed.entries.end(),
                               [&](const auto& one) { return one.principal.name == name; });
  if (at == parsed.entries.end()) {
    std::vector<std::string> known;
    for (const PrincipalEntry& entry : parsed.entries) {
      known.push_back(entry.principal.name);
    }
    return fail(ErrorCode::kNotFound, "there is no principal `" + name + "` in " + file,
                suggest(name, known));
  }
  WS_TRY(const std::vector<TomlStatement> statements, read_toml(text));
  std::vector<Extent> tables = tables_of(statements);
  if (tables.size() != parsed.entries.size()) {
    return fail(ErrorCode::kInvalidArgument,
                file + ":" + std::to_string(at->line) + ": `" + name +
                    "` is not in a table [[principal]] of its own",
                "change it by hand");
  }
  return std::move(tables[static_cast<std::size_t>(at - parsed.entries.begin())]);
}

/// Up to the next thing that is no line end.
std::size_t whole_lines(const std::string& text, std::size_t end) {
  return std::min(text.find_first_not_of("\r\n", end), text.size());
}

std::string token_lines(const TokenEntry& token) {
  constexpr std::int64_t kMsInSecond = 1000;
  std::string lines = "hash = \"" + token.hash + "\"\n";
  if (token.expires_s) {
    lines += "expires = " + timestamp_of(*token.expires_s * kMsInSecond) + "\n";
  }
  return lines;
}

}  // namespace

Result<std::string> with_principal(const std::string& text, const Principal& who,
                                   const TokenEntry& token, const std::string& file) {
  WS_CHECK(parse_principals(text, file));
  std::string longer = text;
  if (!longer.empty()) {
    longer += longer.ends_with('\n') ? "\n" : "\n\n";
  }
  longer += "[[principal]]\nname = \"" + who.name + "\"\nrole = \"" +
            std::string(name_of(who.role)) + "\"\n" + token_lines(token);
  WS_CHECK(parse_principals(longer, file));
  return longer;
}

Result<std::string> with_token(const std::string& text, const std::string& name,
                               const TokenEntry& token, const std::string& file) {
  WS_TRY(const Extent extent, extent_of(text, name, file));
  std::string longer = text;
  const bool ends_line = extent.all.end < text.size() && text[extent.all.end] == '\n';
  longer.insert(
      extent.all.end + (ends_line ? 1 : 0),
      (ends_line ? "" : "\n") + std::string("[[principal.token]]\n") + token_lines(token));
  WS_CHECK(parse_principals(longer, file));
  return longer;
}

Result<std::string> without_old_tokens(const std::string& text, const std::string& name,
                                       const std::string& file) {
  WS_TRY(Extent extent, extent_of(text, name, file));
  if (extent.tokens.size() == extent.own_keys) {
    return text;  // All that it has are one token.
  }
  std::string shorter = text;
  extent.tokens.pop_back();
  for (auto range = extent.tokens.rbegin(); range != extent.tokens.rend(); ++range) {
    shorter.erase(range->from, whole_lines(shorter, range->end) - range->from);
  }
  WS_CHECK(parse_principals(shorter, file));
  return shorter;
}

Result<std::string> without_principal(const std::string& text, const std::string& name,
                                      const std::string& file) {
  WS_TRY(const Extent extent, extent_of(text, name, file));
  std::string shorter =
      text.substr(0, extent.all.from) + text.substr(whole_lines(text, extent.all.end));
  WS_CHECK(parse_principals(shorter, file));
  return shorter;
}

}  // namespace ws::server
