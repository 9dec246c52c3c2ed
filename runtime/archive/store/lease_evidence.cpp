#include "runtime/archive/store/lease_evidence.h"

#include "runtime/base/hash.h"

namespace ws::store {
namespace {

/// A text of one length, for an index.
std::string question_of(const EvidenceRow& evidence) {
  constexpr std::size_t kDigits = 32;
  return sha256_hex(evidence.kernel_id + "\n" + evidence.device + "\n" + evidence.kind + "\n" +
                    evidence.key)
      .substr(0, kDigits);
}

Status remove_evidence_row(Connection& connection, const std::string& id) {
  for (const char* sql : {"DELETE FROM owners WHERE id = ?", "DELETE FROM evidence WHERE id = ?"}) {
    WS_TRY(Statement statement, connection.prepare(sql));
    WS_CHECK(statement.bind(id).run());
  }
  return {};
}

}  // namespace

Status require_lease(Connection& connection, const WorkLease& lease) {
  WS_TRY(Statement row,
         connection.prepare(
             "SELECT 1 FROM node_jobs j WHERE j.id = ? AND j.node = ? AND j.attempt = ? AND "
             "j.status = 'running' AND NOT EXISTS (SELECT 1 FROM nodes n WHERE "
             "n.name = j.node AND n.revoked) FOR SHARE OF j"));
  WS_TRY(const bool held, row.bind(lease.job).bind(lease.node).bind(lease.attempt).step());
  if (!held) {
    return fail(
        ErrorCode::kConflict,
        "the job `" + lease.job + "` does not belong to the node `" + lease.node + "` any more",
        "nothing of this attempt is kept");
  }
  return {};
}

Status note_measured(Connection& connection, const WorkLease& lease, const EvidenceRow& evidence) {
  const std::string question = question_of(evidence);
  WS_TRY(Statement rows,
         connection.prepare("SELECT evidence_id FROM node_evidence WHERE job_id = ? AND "
                            "question = ? AND attempt < ?"));
  WS_TRY(const std::vector<std::string> before,
         texts(rows.bind(lease.job).bind(question).bind(lease.attempt)));
  for (const std::string& id : before) {
    WS_CHECK(remove_evidence_row(connection, id));
  }
  WS_TRY(Statement note,
         connection.prepare("INSERT INTO node_evidence(evidence_id, job_id, attempt, node, "
                            "question) VALUES(?, ?, ?, ?, ?)"));
  return note.bind(evidence.id)
      .bind(lease.job)
      .bind(lease.attempt)
      .bind(lease.node)
      .bind(question)
      .run();
}

}  // namespace ws::store
