#include "server/cli/principals_edit.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runtime/base/nearest.h"
#include "server/access/principals_file.h"
#include "server/cli/toml_reader.h"

namespace ws::server {
namespace {

/// A [[principal]] with its keys.
struct Extent {
  std::size_t from = 0;
  std::size_t end = 0;
};

std::vector<Extent> tables_of(const std::vector<TomlStatement>& statements) {
  std::vector<Extent> tables;
  for (const TomlStatement& statement : statements) {
    if (statement.table) {
      tables.push_back({statement.from, statement.end});
    } else if (!tables.empty()) {
      tables.back().end = statement.end;
    }
  }
  return tables;
}

}  // namespace

Result<std::string> with_principal(const std::string& text, const Principal& who,
                                   const std::string& hash, const std::string& file) {
  WS_CHECK(parse_principals(text, file));
  std::string longer = text;
  if (!longer.empty()) {
    longer += longer.ends_with('\n') ? "\n" : "\n\n";
  }
  longer += "[[principal]]\nname = \"" + who.name + "\"\nrole = \"" +
            std::string(name_of(who.role)) + "\"\nhash = \"" + hash + "\"\n";
  WS_CHECK(parse_principals(longer, file));
  return longer;
}

Result<std::string> without_principal(const std::string& text, const std::string& name,
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
  const std::vector<Extent> tables = tables_of(statements);
  if (tables.size() != parsed.entries.size()) {
    return fail(ErrorCode::kInvalidArgument,
                file + ":" + std::to_string(at->line) + ": `" + name +
                    "` is not in a table [[principal]] of its own",
                "remove it by hand");
  }
  const Extent& table = tables[static_cast<std::size_t>(at - parsed.entries.begin())];
  const std::size_t next = std::min(text.find_first_not_of("\r\n", table.end), text.size());
  std::string shorter = text.substr(0, table.from) + text.substr(next);
  WS_CHECK(parse_principals(shorter, file));
  return shorter;
}

}  // namespace ws::server
