// Labels and claims.
#include "runtime/archive/search_index.h"
#include "runtime/archive/store.h"
#include "runtime/base/clock.h"

namespace ws::store {

Status put_label(Connection& connection, const LabelRow& label) {
  WS_TRY(const KernelRow known, kernel(connection, label.kernel_id));
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO labels(kernel_id, kind, text, created_at) "
                            "VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING"));
  WS_CHECK(insert.bind(known.id).bind(label.kind).bind(label.text).bind(timestamp_now()).run());
  return connection.changes() > 0 ? index_label(connection, connection.last_row(), label.text)
                                  : Status();
}

Result<std::vector<LabelRow>> labels(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row, connection.prepare("SELECT kernel_id, kind, text, created_at FROM labels "
                                           "WHERE kernel_id = ? ORDER BY seq"));
  row.bind(kernel_id);
  std::vector<LabelRow> rows;
  while (true) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return rows;
    }
    rows.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
  }
}

Status add_claim(Connection& connection, const ClaimRow& claim) {
  WS_TRY(const KernelRow known, kernel(connection, claim.kernel_id));
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO claims(id, kernel_id, json, imported_at) "
                            "VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING"));
  return insert.bind(claim.id).bind(known.id).bind(claim.json).bind(timestamp_now()).run();
}

}  // namespace ws::store
