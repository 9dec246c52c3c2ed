#include "runtime/archive/store/lease_evidence.h"

#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"
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

}  // namespace

Status put_leased_evidence(Connection& connection, const WorkLease& lease,
                           const EvidenceRow& evidence) {
  WS_TRY(Statement row, connection.prepare("SELECT node_put_evidence(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                           "?, ?, ?, ?, ?)"));
  row.bind(lease.job).bind(lease.node).bind(lease.attempt).bind(evidence.id);
  row.bind(evidence.kernel_id).bind(evidence.problem_id).bind(evidence.device);
  row.bind(evidence.kind).bind(evidence.key).bind(name_of(evidence.verdict)).bind(evidence.json);
  row.bind(timestamp_now()).bind(unix_ms());
  row.bind(counted_bytes({evidence.key, evidence.json})).bind(question_of(evidence));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  if (row.integer(0) == 0) {
    return fail(
        ErrorCode::kConflict,
        "the job `" + lease.job + "` does not belong to the node `" + lease.node + "` any more",
        "nothing of this attempt is kept");
  }
  return {};
}

}  // namespace ws::store
