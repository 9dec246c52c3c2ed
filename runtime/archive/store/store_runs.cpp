// Evidence, jobs and settings.
#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/store/lease_evidence.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

constexpr const char* kEvidenceColumns =
    "SELECT id, kernel_id, problem_id, device, kind, key, verdict, json, created_at, created_ms "
    "FROM evidence ";
constexpr const char* kIsFinished = "status IN ('done', 'cancelled', 'failed')";

EvidenceRow read_evidence(const Statement& row) {
  return {row.text(0),
          row.text(1),
          row.text(2),
          row.text(3),
          row.text(4),
          row.text(5),
          verdict_of_row(row.text(6)),
          row.text(7),
          row.text(8),
          row.integer(9)};
}

/// A job belongs to the viewer that began it, with what stands in its row now.
Status count_job(Connection& connection, const std::string& id, bool is_new) {
  WS_TRY(Statement owner, connection.prepare("SELECT 1 FROM owners WHERE id = ?"));
  WS_TRY(const bool has_owner, owner.bind(id).step());
  if (is_new ? current_viewer().owner.empty() : !has_owner) {
    return {};
  }
  WS_TRY(Statement row, connection.prepare("SELECT json, arguments FROM jobs WHERE id = ?"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(id).step());
  const std::int64_t bytes = counted_bytes({row.text(0), row.text(1)});
  return is_new ? claim_result(connection, id, bytes) : count_again(connection, id, bytes);
}

/// Evidence of this process, which has its id.
Status put_evidence(Connection& connection, const EvidenceRow& evidence) {
  WS_TRY(Statement statement,
         connection.prepare(
             "INSERT INTO evidence(id, kernel_id, problem_id, device, kind, key, verdict, json, "
             "created_at, created_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  WS_CHECK(statement.bind(evidence.id)
               .bind(evidence.kernel_id)
               .bind(evidence.problem_id)
               .bind(evidence.device)
               .bind(evidence.kind)
               .bind(evidence.key)
               .bind(name_of(evidence.verdict))
               .bind(evidence.json)
               .bind(timestamp_now())
               .bind(unix_ms())
               .run());
  return claim_result(connection, evidence.id, counted_bytes({evidence.key, evidence.json}));
}

}  // namespace

Result<std::string> add_evidence(Connection& connection, const EvidenceRow& evidence) {
  WS_CHECK(require_kernel(connection, evidence.kernel_id));
  constexpr std::size_t kIdDigits = 32;
  EvidenceRow kept = evidence;
  if (kept.id.empty()) {
    kept.id = "evd_" + random_hex(kIdDigits);
  }
  const std::optional<WorkLease>& lease = current_viewer().lease;
  WS_CHECK(lease ? put_leased_evidence(connection, *lease, kept) : put_evidence(connection, kept));
  if (evidence.kind == "compile" || evidence.kind == "validate" || evidence.kind == "benchmark") {
    WS_CHECK(refresh_kernel_status(connection, evidence.kernel_id, evidence.device));
  }
  return kept.id;
}

Result<EvidenceRow> evidence(Connection& connection, const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare(std::string(kEvidenceColumns) + "WHERE id = ?" +
                            and_seen_evidence("evidence") + and_seen("evidence.kernel_id")));
  WS_TRY(const bool found, row.bind(id).step());
  if (!found) {
    return fail(ErrorCode::kNotFound, "no evidence `" + id + "`",
                "evidence ids come from compile_kernel, validate and benchmark");
  }
  return read_evidence(row);
}

Result<std::optional<EvidenceRow>> latest_evidence(Connection& connection,
                                                   const std::string& kernel_id,
                                                   const std::string& device,
                                                   const std::string& kind, const std::string& key,
                                                   std::optional<Verdict> verdict) {
  WS_TRY(Statement row,
         connection.prepare(std::string(kEvidenceColumns) +
                            "WHERE kernel_id = ?1 AND (?2 = '' OR device = ?2) AND kind = ?3 "
                            "AND (?4 = '' OR key = ?4) AND (?5 = '' OR verdict = ?5)" +
                            and_seen_evidence("evidence") + " ORDER BY seq DESC LIMIT 1"));
  row.bind(kernel_id).bind(device).bind(kind).bind(key).bind(verdict ? name_of(*verdict) : "");
  WS_TRY(const bool found, row.step());
  return found ? std::optional<EvidenceRow>(read_evidence(row)) : std::nullopt;
}

Result<std::vector<EvidenceRow>> newest_evidence(Connection& connection,
                                                 const std::string& kernel_id,
                                                 const std::string& device, const std::string& kind,
                                                 int limit) {
  WS_TRY(Statement row,
         connection.prepare(std::string(kEvidenceColumns) +
                            "WHERE kernel_id = ? AND device = ? AND kind = ?" +
                            and_seen_evidence("evidence") + " ORDER BY seq DESC LIMIT ?"));
  return read_rows(row.bind(kernel_id).bind(device).bind(kind).bind(std::int64_t{limit}),
                   read_evidence);
}

Result<std::vector<EvidenceRow>> answers(Connection& connection, const std::string& kernel_id,
                                         const std::string& device, const std::string& kind) {
  WS_TRY(Statement row,
         connection.prepare(
             std::string(kEvidenceColumns) +
             "WHERE kernel_id = ?1 AND device = ?2 AND kind = ?3 AND (verdict <> 'passed' OR "
             "seq IN (SELECT max(e.seq) FROM evidence e WHERE e.kernel_id = ?1 AND e.device = ?2 "
             "AND e.kind = ?3 AND e.verdict = 'passed'" +
             and_seen("e.id") + " GROUP BY e.key))" + and_seen_evidence("evidence") +
             " ORDER BY seq DESC"));
  return read_rows(row.bind(kernel_id).bind(device).bind(kind), read_evidence);
}

Result<std::int64_t> passed_validations(Connection& connection, const std::string& kernel_id,
                                        const std::string& device) {
  WS_TRY(Statement row,
         connection.prepare("SELECT count(*) FROM evidence WHERE kernel_id = ? AND device = ? AND "
                            "kind = 'validate' AND verdict = 'passed'" +
                            and_seen("evidence.id")));
  WS_CHECK(row.bind(kernel_id).bind(device).step());
  return row.integer(0);
}

Result<std::optional<EvidenceRow>> reference_benchmark(Connection& connection,
                                                       const std::string& problem_id) {
  WS_TRY(Statement row,
         connection.prepare(std::string(kEvidenceColumns) +
                            "WHERE kernel_id IN (SELECT id FROM kernels WHERE problem_id = ?) "
                            "AND kind = 'benchmark' AND json_valid(json) AND "
                            "json_extract(json, '$.output.baseline') = 'reference'" +
                            and_seen("evidence.id") + and_seen("evidence.kernel_id") +
                            " ORDER BY seq DESC LIMIT 1"));
  WS_TRY(const bool found, row.bind(problem_id).step());
  return found ? std::optional<EvidenceRow>(read_evidence(row)) : std::nullopt;
}

Status put_job(Connection& connection, const JobRow& job) {
  WS_TRY(Statement known, connection.prepare("SELECT 1 FROM jobs WHERE id = ?"));
  WS_TRY(const bool was_there, known.bind(job.id).step());
  WS_TRY(Statement statement,
         connection.prepare(
             "INSERT INTO jobs(id, tool, status, json, created_at, updated_ms, instance, "
             "arguments) VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET "
             "status = excluded.status, json = excluded.json, updated_ms = excluded.updated_ms "
             "WHERE NOT jobs." +
             std::string(kIsFinished)));
  WS_CHECK(statement.bind(job.id)
               .bind(job.tool)
               .bind(job.status)
               .bind(job.json)
               .bind(timestamp_now())
               .bind(job.updated_ms == 0 ? unix_ms() : job.updated_ms)
               .bind(job.instance)
               .bind(job.arguments)
               .run());
  WS_CHECK(count_job(connection, job.id, !was_there));
  if (job.client.empty()) {
    return {};
  }
  WS_TRY(Statement told, connection.prepare("INSERT INTO job_clients(client, job_id) VALUES(?, ?) "
                                            "ON CONFLICT DO NOTHING"));
  return told.bind(job.client).bind(job.id).run();
}

Result<JobRow> job(Connection& connection, const std::string& id) {
  WS_TRY(
      Statement row,
      connection.prepare("SELECT jobs.id, tool, status, json, created_at, updated_ms, instance, "
                         "arguments, resumed, coalesce(o.owner, ''), coalesce(o.shared, 1) FROM "
                         "jobs LEFT JOIN owners o ON o.id = jobs.id WHERE jobs.id = ?1 AND NOT (" +
                         std::string(kIsFinished) + " AND updated_ms < ?2)" + and_seen("jobs.id")));
  WS_TRY(const bool found, row.bind(id).bind(unix_ms() - kJobKeptMs).step());
  if (!found) {
    return fail(ErrorCode::kNotFound, "no job `" + id + "`",
                "finished jobs are kept for 24 h; call the tool again");
  }
  return JobRow{.id = row.text(0),
                .tool = row.text(1),
                .status = row.text(2),
                .json = row.text(3),
                .created_at = row.text(4),
                .updated_ms = row.integer(5),
                .instance = row.text(6),
                .arguments = row.text(7),
                .resumed = row.integer(8),
                .owner = row.text(9),
                .shared = row.integer(10) != 0};
}

Result<std::vector<ClientJob>> jobs_of(Connection& connection, const std::string& client,
                                       std::int64_t before, int most) {
  WS_TRY(Statement rows,
         connection.prepare(
             "SELECT c.seq, j.id, j.tool, j.status, j.created_at, j.updated_ms, j.instance, "
             "coalesce(json_extract(j.json, '$.output.summary'), json_extract(j.json, '$.error'), "
             "'') FROM job_clients c JOIN jobs j ON j.id = c.job_id "
             "WHERE c.client = ?1 AND (?2 = 0 OR c.seq < ?2) AND NOT (" +
             std::string(kIsFinished) + " AND j.updated_ms < ?3) ORDER BY c.seq DESC LIMIT ?4"));
  rows.bind(client).bind(before).bind(unix_ms() - kJobKeptMs).bind(std::int64_t{most});
  return read_rows(rows, [](const Statement& row) {
    ClientJob job;
    job.number = row.integer(0);
    job.row.id = row.text(1);
    job.row.tool = row.text(2);
    job.row.status = row.text(3);
    job.row.created_at = row.text(4);
    job.row.updated_ms = row.integer(5);
    job.row.instance = row.text(6);
    job.summary = row.text(7);
    return job;
  });
}

Result<bool> claim_job(Connection& connection, const JobRow& row, const std::string& instance) {
  WS_TRY(Statement statement,
         connection.prepare(
             "UPDATE jobs SET resumed = resumed + CASE WHEN instance <> ?1 THEN 1 "
             "ELSE 0 END, instance = ?1, updated_ms = ?2 WHERE id = ?3 AND instance = ?4 AND NOT " +
             std::string(kIsFinished)));
  WS_CHECK(statement.bind(instance).bind(unix_ms()).bind(row.id).bind(row.instance).run());
  return connection.changes() == 1;
}

Result<int> prune_jobs(Connection& connection) {
  if (connection.is_postgres()) {  // A node's own role leaves it to servers.
    WS_TRY(Statement allowed,
           connection.prepare("SELECT has_table_privilege('warpsmith.jobs', 'DELETE')"));
    WS_TRY([[maybe_unused]] const bool found, allowed.step());
    if (allowed.integer(0) == 0) {
      return 0;
    }
  }
  WS_TRY(Statement statement,
         connection.prepare("DELETE FROM jobs WHERE updated_ms < ?1 OR (updated_ms < ?2 AND " +
                            std::string(kIsFinished) + ")"));
  const std::int64_t now = unix_ms();
  WS_CHECK(statement.bind(now - kUnfinishedKeptMs).bind(now - kJobKeptMs).run());
  const int removed = connection.changes();
  if (removed > 0) {  // A ref may have such a name, too.
    WS_CHECK(
        connection.execute("DELETE FROM owners WHERE id > 'job_' AND id < 'job_~' AND "
                           "instr(id, '@') = 0 AND id NOT IN (SELECT id FROM jobs)"));
  }
  return removed;
}

Status set_setting(Connection& connection, const std::string& key, const std::string& value) {
  WS_TRY(Statement statement,
         connection.prepare(connection.is_postgres()
                                ? "SELECT node_set_setting(?, ?)"
                                : "INSERT INTO settings(key, value) VALUES(?, ?) "
                                  "ON CONFLICT(key) DO UPDATE SET value = excluded.value"));
  return statement.bind(key).bind(value).run();
}

Result<std::optional<std::string>> setting(Connection& connection, const std::string& key) {
  WS_TRY(Statement row, connection.prepare("SELECT value FROM settings WHERE key = ?"));
  WS_TRY(const bool found, row.bind(key).step());
  return found ? std::optional<std::string>(row.text(0)) : std::nullopt;
}

Result<std::vector<std::string>> sample_passed(Connection& connection, const std::string& device,
                                               int count) {
  WS_TRY(Statement row,
         connection.prepare("SELECT k.kernel_id FROM standings s JOIN indexed_kernels k "
                            "ON k.seq = s.kernel WHERE s.device = ? AND s.state = 2" +
                            and_seen("k.kernel_id") + and_seen("s.evidence_id") +
                            " ORDER BY random() LIMIT ?"));
  row.bind(device).bind(std::int64_t{count});
  return texts(row);
}

}  // namespace ws::store
