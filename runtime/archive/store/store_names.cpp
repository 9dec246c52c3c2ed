// Finds the row that a name means.
#include <array>

#include <nlohmann/json.hpp>

#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/viewer.h"
#include "runtime/kernel/ids.h"

namespace ws::store {
namespace {

struct Kind {
  const char* word;
  const char* prefix;
  const char* table;
};

constexpr Kind kKinds[] = {{"problem", "prb_", "problems"}, {"kernel", "krn_", "kernels"}};

struct OtherName {
  const char* prefix;
  const char* what;
};

constexpr OtherName kOtherNames[] = {
    {"prb_", "a problem"}, {"krn_", "a kernel"}, {"evd_", "evidence"}, {"job_", "a job"}};

constexpr std::size_t kMostTold = 5;

const Kind& kind_of(Named what) {
  return kKinds[static_cast<std::size_t>(what)];
}

Result<bool> is_row(Connection& connection, const Kind& kind, const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT 1 FROM " + std::string(kind.table) + " WHERE id = ?" +
                            and_seen(std::string(kind.table) + ".id")));
  return row.bind(id).step();
}

/// Whether the row that an older version named is of the content that `id` names now.
Result<bool> is_content_of(Connection& connection, const Kind& kind, const std::string& row_id,
                           const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT json FROM " + std::string(kind.table) + " WHERE id = ?" +
                            and_seen(std::string(kind.table) + ".id")));
  WS_TRY(const bool found, row.bind(row_id).step());
  if (!found) {
    return false;
  }
  const nlohmann::json form = nlohmann::json::parse(row.text(0), nullptr, false);
  return form.is_object() && id.ends_with("_" + content_hash(form));
}

/// Ids that begin with `name`, or whose hash begins with what stands after the prefix; not many.
Result<std::vector<std::string>> ids_like(Connection& connection, const Kind& kind,
                                          const std::string& name) {
  const std::string hash = name.substr(std::string(kind.prefix).size());
  if (hash.empty() ||
      hash.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
    return std::vector<std::string>();
  }
  const std::string table(kind.table);
  // '~' comes after all characters of an id. The second condition is as its index has it, which
  // PostgreSQL does not use for the role of a node.
  const std::string by_hash =
      current_viewer().lease
          ? "node_ids_by_hash('" + table + "', ?2) AS " + table + "(id) WHERE 1 = 1"
          : table + " WHERE substr(id, length(rtrim(id, '0123456789abcdef')) + 1) >= ?2 AND " +
                "substr(id, length(rtrim(id, '0123456789abcdef')) + 1) < ?2 || '~'";
  WS_TRY(Statement rows,
         connection.prepare("SELECT id FROM " + table + " WHERE id > ?1 AND id < ?1 || '~'" +
                            and_seen(std::string(kind.table) + ".id") + " UNION SELECT id FROM " +
                            by_hash + and_seen(std::string(kind.table) + ".id") +
                            " ORDER BY id LIMIT ?3"));
  rows.bind(name).bind(hash).bind(static_cast<std::int64_t>(kMostTold + 1));
  return read_rows(rows, [](const Statement& row) { return row.text(0); });
}

tl::unexpected<Error> ambiguous(const Kind& kind, const std::string& name,
                                const std::vector<std::string>& ids) {
  std::string list;
  for (std::size_t i = 0; i < ids.size() && i < kMostTold; ++i) {
    list += (i > 0 ? ", " : "") + ids[i];
  }
  return fail(ErrorCode::kInvalidArgument,
              "`" + name + "` is the beginning of several " + kind.word + "s: " + list +
                  (ids.size() > kMostTold ? " and more" : ""),
              "write more of the id");
}

tl::unexpected<Error> no_such(const Kind& kind, const std::string& name) {
  for (const OtherName& other : kOtherNames) {
    if (name.starts_with(other.prefix) && !name.starts_with(kind.prefix)) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + name + "` names " + other.what + ", not a " + kind.word,
                  std::string("the id of a ") + kind.word + " begins with " + kind.prefix);
    }
  }
  return fail(ErrorCode::kNotFound, std::string("no ") + kind.word + " `" + name + "`",
              "ids come from compile_kernel");
}

}  // namespace

Result<std::string> find_id(Connection& connection, Named what, const std::string& name) {
  const Kind& kind = kind_of(what);
  WS_TRY(const bool there, is_row(connection, kind, name));
  if (there) {
    return name;
  }
  std::string older = older_id(name);
  WS_TRY(const bool same, is_content_of(connection, kind, older, name));
  if (same) {
    return older;
  }
  if (!name.starts_with(kind.prefix)) {
    return no_such(kind, name);
  }
  WS_TRY(const std::vector<std::string> ids, ids_like(connection, kind, name));
  if (ids.size() > 1) {
    return ambiguous(kind, name, ids);
  }
  return ids.empty() ? Result<std::string>(no_such(kind, name)) : ids.front();
}

}  // namespace ws::store
