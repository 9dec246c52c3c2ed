// Finds and deletes the rows that nothing refers to.
#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/store.h"

namespace ws::store {
namespace {

/// Kernels that stay, and what they came from. ?1: how many days old others are.
/// A job that is not done may still look for what it was sent; a benchmark's baseline is part of
/// it.
constexpr const char* kKept =
    "WITH RECURSIVE named(id) AS ("
    "  SELECT value FROM jobs, json_each(jobs.json, '$.names')"
    "    WHERE status IN ('queued', 'running') AND json_valid(jobs.json)), "
    "kept(id) AS ("
    "  SELECT id FROM kernels WHERE julianday(created_at) > julianday('now') - ?1"
    "  UNION SELECT kernel_id FROM refs"
    "  UNION SELECT kernel_id FROM evidence"
    "  UNION SELECT kernel_id FROM labels"
    "  UNION SELECT kernel_id FROM claims"
    "  UNION SELECT base_id FROM pass_tries"
    "  UNION SELECT kernel_id FROM pass_tries"
    "  UNION SELECT json_extract(json, '$.output.baseline') FROM evidence"
    "    WHERE kind IN ('benchmark', 'evaluate', 'tune') AND json_valid(json)"
    "  UNION SELECT id FROM named"
    "  UNION SELECT k.parent FROM kept JOIN kernels k ON k.id = kept.id) ";

/// A child comes before what it was made from, as it was stored later.
constexpr const char* kKernels =
    "SELECT id FROM kernels WHERE id NOT IN (SELECT id FROM kept WHERE id IS NOT NULL) "
    "ORDER BY rowid DESC LIMIT ?2";

/// A problem that the next call may still bring kernels for is not old.
constexpr const char* kProblems =
    "SELECT id FROM problems WHERE julianday(created_at) <= julianday('now') - ?1 "
    "AND id NOT IN (SELECT problem_id FROM kernels WHERE id IN (SELECT id FROM kept)) "
    "AND id NOT IN (SELECT id FROM named) ORDER BY rowid DESC LIMIT ?2";

Result<std::vector<std::string>> ids_of(Connection& connection, const char* sql, int days,
                                        std::size_t most) {
  WS_TRY(Statement row, connection.prepare(std::string(kKept) + sql));
  row.bind(std::int64_t{days}).bind(static_cast<std::int64_t>(most));
  return texts(row);
}

Status run_for_each(Connection& connection, const char* sql, const std::vector<std::string>& ids) {
  WS_TRY(Statement statement, connection.prepare(sql));
  for (const std::string& id : ids) {
    WS_CHECK(statement.reset().bind(id).run());
  }
  return {};
}

}  // namespace

Result<Garbage> find_garbage(Connection& connection, int days, std::size_t most) {
  Garbage garbage;
  WS_TRY(garbage.kernels, ids_of(connection, kKernels, days, most));
  WS_TRY(garbage.problems, ids_of(connection, kProblems, days, most));
  return garbage;
}

Status remove_garbage(Connection& connection, const Garbage& garbage, bool problems) {
  // All out of the index first: a DELETE of a row that others may refer to has FTS5 write out what
  // waits, each time.
  for (const std::string& id : garbage.kernels) {
    WS_CHECK(unindex_kernel(connection, id));
  }
  WS_CHECK(run_for_each(connection, "DELETE FROM kernels WHERE id = ?", garbage.kernels));
  if (!problems) {
    return {};
  }
  WS_CHECK(
      run_for_each(connection, "DELETE FROM problem_facts WHERE problem_id = ?", garbage.problems));
  return run_for_each(connection, "DELETE FROM problems WHERE id = ?", garbage.problems);
}

}  // namespace ws::store
