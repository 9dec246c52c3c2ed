// Deletes what gc found.
#include <algorithm>
#include <unordered_set>

#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/garbage_rules.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"

namespace ws::store {
namespace {

using Ids = std::unordered_set<std::string>;

constexpr std::size_t kAtOnce = 2000;  // In one transaction, which takes about a second.

/// The ids that jobs name, and evidence that came since the garbage was found.
Result<Ids> named_since(Connection& connection, std::int64_t evidence) {
  WS_TRY(Statement rows,
         connection.prepare(std::string(kNamedByJobs) +
                            " UNION SELECT kernel_id FROM evidence WHERE seq > ?1 "
                            "UNION SELECT json_extract(json, '$.output.baseline') FROM evidence "
                            "WHERE seq > ?1 AND json_valid(json)"));
  WS_TRY(const std::vector<std::string> ids, texts(rows.bind(evidence)));
  return Ids(ids.begin(), ids.end());
}

/// Whether a row that is no evidence names a kernel.
Result<bool> is_named(Connection& connection, const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT 1 WHERE EXISTS (SELECT 1 FROM refs WHERE kernel_id = ?1) "
                            "OR EXISTS (SELECT 1 FROM labels WHERE kernel_id = ?1) "
                            "OR EXISTS (SELECT 1 FROM claims WHERE kernel_id = ?1) "
                            "OR EXISTS (SELECT 1 FROM pass_tries WHERE base_id = ?1) "
                            "OR EXISTS (SELECT 1 FROM pass_tries WHERE kernel_id = ?1)"));
  return row.bind(id).step();
}

/// @param going  Children that go at the same time.
Result<bool> has_child(Connection& connection, const std::string& id, const Ids& going) {
  WS_TRY(Statement rows, connection.prepare("SELECT id FROM kernels WHERE parent = ?"));
  WS_TRY(const std::vector<std::string> children, texts(rows.bind(id)));
  return std::any_of(children.begin(), children.end(),
                     [&](const std::string& child) { return !going.contains(child); });
}

/// Runs a statement for each id. @return How many rows it changed.
Result<std::uint64_t> run_for_each(Connection& connection, const char* sql,
                                   const std::vector<std::string>& ids) {
  WS_TRY(Statement statement, connection.prepare(sql));
  std::uint64_t changed = 0;
  for (const std::string& id : ids) {
    WS_CHECK(statement.reset().bind(id).run());
    changed += static_cast<std::uint64_t>(connection.changes());
  }
  return changed;
}

}  // namespace

Result<bool> GarbageRemoval::step(Connection& connection) {
  if (kernels_done_ < garbage_.kernels.size()) {
    WS_CHECK(remove_kernels(connection));
    return true;
  }
  if (evidence_done_ < garbage_.evidence.size()) {
    WS_CHECK(remove_evidence(connection));
    return true;
  }
  WS_CHECK(remove_problems(connection));
  return false;
}

Status GarbageRemoval::remove_kernels(Connection& connection) {
  WS_TRY(const Ids named, named_since(connection, garbage_.last_evidence));
  const std::size_t end = std::min(kernels_done_ + kAtOnce, garbage_.kernels.size());
  std::vector<std::string> ids;
  Ids going;
  for (; kernels_done_ < end; ++kernels_done_) {
    const std::string& id = garbage_.kernels[kernels_done_];
    WS_TRY(const bool stays, is_named(connection, id));
    WS_TRY(const bool is_parent, has_child(connection, id, going));
    if (!stays && !is_parent && !named.contains(id)) {
      ids.push_back(id);
      going.insert(id);
    }
  }
  // All out of the index first: a DELETE of a row that others may refer to has FTS5 write out what
  // waits, each time.
  for (const std::string& id : ids) {
    WS_CHECK(unindex_kernel(connection, id));
  }
  WS_TRY([[maybe_unused]] const std::uint64_t owners_of_evidence,
         run_for_each(
             connection,
             "DELETE FROM owners WHERE id IN (SELECT id FROM evidence WHERE kernel_id = ?)", ids));
  WS_TRY([[maybe_unused]] const std::uint64_t owners, run_for_each(connection, kForgetOwners, ids));
  WS_TRY(const std::uint64_t evidence,
         run_for_each(connection, "DELETE FROM evidence WHERE kernel_id = ?", ids));
  WS_TRY(const std::uint64_t kernels,
         run_for_each(connection, "DELETE FROM kernels WHERE id = ?", ids));
  removed_.evidence += evidence;
  removed_.kernels += kernels;
  const std::size_t shown = std::min(ids.size(), kGarbageIds - removed_.ids.size());
  removed_.ids.insert(removed_.ids.end(), ids.begin(),
                      ids.begin() + static_cast<std::ptrdiff_t>(shown));
  return {};
}

/// Newer evidence makes none of these needed.
Status GarbageRemoval::remove_evidence(Connection& connection) {
  WS_TRY(Statement remove, connection.prepare("DELETE FROM evidence WHERE seq = ?"));
  WS_TRY(Statement forget, connection.prepare("DELETE FROM owners WHERE id = (SELECT id FROM "
                                              "evidence WHERE seq = ?)"));
  const std::size_t end = std::min(evidence_done_ + kAtOnce, garbage_.evidence.size());
  for (; evidence_done_ < end; ++evidence_done_) {
    WS_CHECK(forget.reset().bind(garbage_.evidence[evidence_done_]).run());
    WS_CHECK(remove.reset().bind(garbage_.evidence[evidence_done_]).run());
    removed_.evidence += static_cast<std::uint64_t>(connection.changes());
  }
  return {};
}

Status GarbageRemoval::remove_problems(Connection& connection) {
  WS_TRY(const Ids named, named_since(connection, garbage_.last_evidence));
  WS_TRY(Statement used, connection.prepare("SELECT 1 FROM kernels WHERE problem_id = ? LIMIT 1"));
  std::vector<std::string> ids;
  for (const std::string& id : garbage_.problems) {
    WS_TRY(const bool stays, used.reset().bind(id).step());
    if (!stays && !named.contains(id)) {
      ids.push_back(id);
    }
  }
  WS_TRY([[maybe_unused]] const std::uint64_t facts,
         run_for_each(connection, "DELETE FROM problem_facts WHERE problem_id = ?", ids));
  WS_TRY([[maybe_unused]] const std::uint64_t owners, run_for_each(connection, kForgetOwners, ids));
  WS_TRY(removed_.problems, run_for_each(connection, "DELETE FROM problems WHERE id = ?", ids));
  return {};
}

}  // namespace ws::store
