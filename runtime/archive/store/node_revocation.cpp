#include "runtime/archive/store/node_revocation.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/archive/search/kernel_status.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/store.h"

namespace ws {
namespace {

/// In one transaction: others write in between.
constexpr std::int64_t kRevokedAtOnce = 200;

Status set_revoked(Connection& connection, const std::string& name, bool revoked) {
  WS_TRY(Statement row, connection.prepare("SELECT node_revoke(?, ? <> 0)"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(name).bind(std::int64_t{revoked}).step());
  return row.integer(0) != 0
             ? Status()
             : fail(ErrorCode::kNotFound, "no node `" + name + "`", "see warpsmith nodes");
}

/// The line that an export would have.
std::string claim_text(const EvidenceRow& row) {
  nlohmann::json record = nlohmann::json::parse(row.json, nullptr, false);
  return nlohmann::json{{"type", "evidence"},
                        {"id", row.id},
                        {"kernel_id", row.kernel_id},
                        {"problem_id", row.problem_id},
                        {"device", row.device},
                        {"kind", row.kind},
                        {"key", row.key},
                        {"verdict", name_of(row.verdict)},
                        {"at_ms", row.created_ms},
                        {"record", record.is_discarded() ? nlohmann::json(row.json) : record}}
      .dump();
}

Status make_claim(Connection& connection, const std::string& id) {
  const Result<EvidenceRow> row = store::evidence(connection, id);
  WS_TRY(Statement note, connection.prepare("DELETE FROM node_evidence WHERE evidence_id = ?"));
  WS_CHECK(note.bind(id).run());
  if (!row) {  // It was collected.
    return row.error().code == ErrorCode::kNotFound ? Status() : fail(row.error());
  }
  WS_TRY(Statement evidence, connection.prepare("DELETE FROM evidence WHERE id = ?"));
  WS_CHECK(evidence.bind(id).run());
  WS_CHECK(store::add_claim(connection,
                            {.id = id, .kernel_id = row->kernel_id, .json = claim_text(*row)}));
  return store::refresh_kernel_status(connection, row->kernel_id, row->device);
}

/// @return  How many; 0: none is left.
Result<std::int64_t> revoke_some(Connection& connection, const std::string& name) {
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  WS_TRY(Statement rows,
         connection.prepare("SELECT evidence_id FROM node_evidence WHERE node = ? LIMIT ?"));
  WS_TRY(const std::vector<std::string> ids, texts(rows.bind(name).bind(kRevokedAtOnce)));
  for (const std::string& id : ids) {
    WS_CHECK(make_claim(connection, id));
  }
  WS_CHECK(transaction.commit());
  return static_cast<std::int64_t>(ids.size());
}

}  // namespace

Result<std::int64_t> revoke_node(const std::string& url, const std::string& name) {
  WS_TRY(Connection connection, open_postgres(url));
  WS_CHECK(set_revoked(connection, name, true));
  std::int64_t all = 0;
  for (;;) {
    WS_TRY(const std::int64_t some, revoke_some(connection, name));
    if (some == 0) {
      return all;
    }
    all += some;
  }
}

Status allow_node(const std::string& url, const std::string& name) {
  WS_TRY(Connection connection, open_postgres(url));
  return set_revoked(connection, name, false);
}

}  // namespace ws
