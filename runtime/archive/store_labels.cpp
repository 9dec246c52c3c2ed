// Labels and claims.
#include "runtime/archive/search_index.h"
#include "runtime/archive/store.h"
#include "runtime/base/clock.h"

namespace ws::store {

Status put_label(Connection& connection, const LabelRow& label) {
  WS_TRY(const KernelRow known, kernel(connection, label.kernel_id));
  WS_TRY(Statement there, connection.prepare("SELECT 1 FROM labels WHERE kernel_id = ? "
                                             "AND kind = ? AND text = ?"));
  WS_TRY(const bool found, there.bind(known.id).bind(label.kind).bind(label.text).step());
  if (found) {
    return {};
  }
  return change_labels(connection, known.id, [&]() -> Status {
    WS_TRY(Statement insert,
           connection.prepare("INSERT INTO labels(kernel_id, kind, text, created_at) "
                              "VALUES(?, ?, ?, ?)"));
    return insert.bind(known.id).bind(label.kind).bind(label.text).bind(timestamp_now()).run();
  });
}

Status remove_label(Connection& connection, const LabelRow& label) {
  return change_labels(connection, label.kernel_id, [&]() -> Status {
    WS_TRY(Statement remove, connection.prepare("DELETE FROM labels WHERE kernel_id = ? "
                                                "AND kind = ? AND text = ?"));
    return remove.bind(label.kernel_id).bind(label.kind).bind(label.text).run();
  });
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
