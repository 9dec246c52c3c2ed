// Tries at passes of transformations.
#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"

namespace ws::store {
namespace {

/// How the tries that fit a condition ended, with the reason of the newest one of each row.
std::string statistics_sql(const std::string& condition) {
  return "SELECT t.transformation, t.pass, t.verdict, s.tries, t.reason FROM "
         "(SELECT max(seq) AS newest, count(*) AS tries FROM pass_tries WHERE " +
         condition + and_seen(kTryId) +
         " GROUP BY transformation, pass, verdict) s JOIN pass_tries t ON t.seq = s.newest ";
}

/// Reads rows of transformation, pass, verdict, count and reason.
Result<std::vector<PassStatistic>> read_statistics(Statement& rows) {
  std::vector<PassStatistic> statistics;
  for (;;) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      return statistics;
    }
    statistics.push_back({.transformation = rows.text(0),
                          .pass = rows.integer(1),
                          .verdict = verdict_of_row(rows.text(2)),
                          .tries = rows.integer(3),
                          .reason = rows.text(4)});
  }
}

}  // namespace

Result<std::int64_t> add_pass_try(Connection& connection, const PassTry& row) {
  WS_CHECK(require_kernel(connection, row.base_id));
  WS_TRY(Statement before,
         connection.prepare("SELECT coalesce(max(attempt), 0) FROM pass_tries "
                            "WHERE base_id = ? AND transformation = ? AND pass = ?" +
                            and_seen(kTryId)));
  before.bind(row.base_id).bind(row.transformation).bind(row.pass);
  WS_TRY([[maybe_unused]] const bool found, before.step());
  const std::int64_t attempt = before.integer(0) + 1;
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO pass_tries(transformation, pass, passes, base_id, "
                            "kernel_id, verdict, reason, attempt, created_at) "
                            "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  WS_TRY(const std::int64_t seq, insert.bind(row.transformation)
                                     .bind(row.pass)
                                     .bind(row.passes)
                                     .bind(row.base_id)
                                     .bind(row.kernel_id)
                                     .bind(name_of(row.verdict))
                                     .bind(row.reason)
                                     .bind(attempt)
                                     .bind(timestamp_now())
                                     .insert("seq"));
  WS_CHECK(claim_result(connection, try_id(seq), counted_bytes({row.reason})));
  return attempt;
}

Result<std::vector<PassTry>> pass_history(Connection& connection, const std::string& kernel_id) {
  // A pass that was skipped leaves the kernel as it was: one kernel may have several.
  WS_TRY(Statement rows,
         connection.prepare(
             "WITH RECURSIVE line(id, parent, depth) AS ("
             "  SELECT id, parent, 0 FROM kernels WHERE id = ? UNION ALL"
             "  SELECT k.id, k.parent, depth + 1 FROM kernels k JOIN line ON k.id = line.parent" +
             and_seen("k.id") +
             "), newest(seq, depth) AS ("
             "  SELECT max(pass_tries.seq), line.depth FROM line JOIN pass_tries "
             "  ON kernel_id = line.id AND verdict IN ('passed', 'skipped')" +
             and_seen(kTryId) +
             "  GROUP BY line.depth, kernel_id, transformation, pass, verdict) "
             "SELECT t.transformation, t.pass, t.passes, " +
             seen_parent("t.base_id") +
             ", t.kernel_id, t.verdict, t.reason, t.attempt FROM newest JOIN pass_tries t ON t.seq "
             "= newest.seq "
             "ORDER BY newest.depth DESC, newest.seq"));
  rows.bind(kernel_id);
  std::vector<PassTry> history;
  for (;;) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      return history;
    }
    history.push_back({.transformation = rows.text(0),
                       .pass = rows.integer(1),
                       .passes = rows.integer(2),
                       .base_id = rows.text(3),
                       .kernel_id = rows.text(4),
                       .verdict = verdict_of_row(rows.text(5)),
                       .reason = rows.text(6),
                       .attempt = rows.integer(7)});
  }
}

Result<std::vector<PassStatistic>> pass_statistics(Connection& connection,
                                                   const std::string& transformation) {
  WS_TRY(Statement rows, connection.prepare(statistics_sql("(?1 = '' OR transformation = ?1)") +
                                            "ORDER BY t.transformation, t.pass, t.verdict"));
  rows.bind(transformation);
  return read_statistics(rows);
}

Result<std::vector<PassStatistic>> failed_passes(Connection& connection,
                                                 const std::string& base_id) {
  WS_TRY(Statement rows,
         connection.prepare(statistics_sql("base_id = ? AND verdict NOT IN ('passed', 'skipped')") +
                            "ORDER BY t.seq"));
  rows.bind(base_id);
  return read_statistics(rows);
}

Result<std::optional<PassStatistic>> failure_of(Connection& connection,
                                                const std::string& kernel_id) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT transformation, pass, verdict, 1, reason FROM pass_tries "
                            "WHERE kernel_id = ? AND verdict NOT IN ('passed', 'skipped')" +
                            and_seen(kTryId) + " ORDER BY seq DESC LIMIT 1"));
  rows.bind(kernel_id);
  WS_TRY(const std::vector<PassStatistic> found, read_statistics(rows));
  return found.empty() ? std::nullopt : std::optional<PassStatistic>(found.front());
}

}  // namespace ws::store
