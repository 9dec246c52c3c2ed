#include "runtime/archive/store/visible.h"

#include <vector>

#include "runtime/base/numbers.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

/// Whether the viewer sees the row: nothing is known of its owners, one of them shares it, or the
/// viewer is one.
std::string seen(const std::string& id) {
  return "coalesce((SELECT max(CASE WHEN o.shared <> 0 OR o.owner = viewer() THEN 1 ELSE 0 END) "
         "FROM owners o WHERE o.id = " +
         id + "), 1) = 1";
}

constexpr std::int64_t kRowBytes = 100;  ///< As migrations.cpp counts older rows.

/// An owner of a row as it stands in the table.
struct Owner {
  std::string name;
  std::int64_t shared = 0;
};

Status put_owner(Connection& connection, const std::string& id, std::int64_t bytes) {
  const Viewer& viewer = current_viewer();
  // A lease is one of PostgreSQL's, whose role may not write the table.
  WS_TRY(Statement insert,
         connection.prepare(viewer.lease
                                ? "SELECT node_own(?, ?, ?, ?)"
                                : "INSERT INTO owners(id, owner, shared, bytes) VALUES(?, ?, ?, ?) "
                                  "ON CONFLICT(id, owner) DO UPDATE SET shared = CASE WHEN "
                                  "excluded.shared > owners.shared THEN excluded.shared "
                                  "ELSE owners.shared END"));
  return insert.bind(id)
      .bind(viewer.owner)
      .bind(std::int64_t{viewer.shares ? 1 : 0})
      .bind(viewer.owner.empty() ? 0 : bytes)
      .run();
}

/// "12.3 MB"
std::string megabytes(std::int64_t bytes) {
  constexpr double kMegabyte = 1e6;
  return fixed_digits(static_cast<double>(bytes) / kMegabyte, 1) + " MB";
}

}  // namespace

std::string and_seen(const std::string& id) {
  return current_viewer().sees_all ? std::string() : " AND " + seen(id);
}

std::string and_seen_evidence(const std::string& table) {
  return and_seen(table + ".id") +
         and_seen("CASE WHEN " + table + ".kind = 'benchmark' AND json_valid(" + table +
                  ".json) THEN json_extract(" + table + ".json, '$.output.baseline') END");
}

std::string and_seen_number(const std::string& seq) {
  return and_seen("(SELECT v.kernel_id FROM indexed_kernels v WHERE v.seq = " + seq + ")");
}

std::string seen_parent(const std::string& parent) {
  const std::string text = "coalesce(" + parent + ", '')";
  return current_viewer().sees_all ? text
                                   : "CASE WHEN " + seen(parent) + " THEN " + text + " ELSE '' END";
}

Result<bool> is_seen(Connection& connection, const std::string& id) {
  if (current_viewer().sees_all) {
    return true;
  }
  WS_TRY(Statement row, connection.prepare("SELECT 1 WHERE 1 = 1" + and_seen("?1")));
  return row.bind(id).step();
}

std::string claimed_sql(const std::string& id) {
  return std::string("coalesce((SELECT max(CASE WHEN o.owner = viewer()") +
         (current_viewer().shares ? " AND o.shared <> 0" : "") +
         " THEN 1 ELSE 0 END) FROM owners o WHERE o.id = " + id + "), 1)";
}

std::string label_id(std::int64_t seq) {
  return "lbl_" + std::to_string(seq);
}

std::string try_id(std::int64_t seq) {
  return "try_" + std::to_string(seq);
}

std::string series_id(std::int64_t seq) {
  return "ser_" + std::to_string(seq);
}

std::int64_t counted_bytes(std::initializer_list<std::string_view> texts) {
  std::int64_t bytes = kRowBytes;
  for (const std::string_view text : texts) {
    bytes += static_cast<std::int64_t>(text.size());
  }
  return bytes;
}

Status check_room(Connection& connection, std::int64_t more) {
  const Viewer& viewer = current_viewer();
  if (!viewer.most_bytes) {
    return {};
  }
  WS_TRY(Statement row,
         connection.prepare("SELECT coalesce(max(bytes), 0) FROM owner_bytes WHERE owner = ?"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(viewer.owner).step());
  const std::int64_t used = row.integer(0);
  if (more == 0 ? used < *viewer.most_bytes : used + more <= *viewer.most_bytes) {
    return {};
  }
  return fail(
      ErrorCode::kBusy,
      "the principal `" + viewer.owner + "` has stored " + megabytes(used) + " of the " +
          megabytes(*viewer.most_bytes) + " that it may (stored-megabytes)" +
          (more == 0 ? std::string() : ", and this is " + megabytes(more)),
      "ask the operator of the server for more, or to remove what is old: warpsmith archive "
      "gc --principal " +
          viewer.owner);
}

Status claim_new(Connection& connection, const std::string& id, std::int64_t bytes) {
  WS_CHECK(check_room(connection, bytes));
  return claim_result(connection, id, bytes);
}

Status claim_result(Connection& connection, const std::string& id, std::int64_t bytes) {
  return current_viewer().owner.empty() ? Status() : put_owner(connection, id, bytes);
}

Status count_again(Connection& connection, const std::string& id, std::int64_t bytes) {
  WS_TRY(Statement rows,
         connection.prepare("SELECT owner, shared FROM owners WHERE id = ? AND owner <> ''"));
  WS_TRY(const std::vector<Owner> owners, read_rows(rows.bind(id), [](const Statement& row) {
           return Owner{.name = row.text(0), .shared = row.integer(1)};
         }));
  // The triggers that keep the sums see rows come and go.
  WS_TRY(Statement remove, connection.prepare("DELETE FROM owners WHERE id = ? AND owner = ?"));
  WS_TRY(Statement insert, connection.prepare("INSERT INTO owners(id, owner, shared, bytes) "
                                              "VALUES(?, ?, ?, ?)"));
  for (const Owner& owner : owners) {
    WS_CHECK(remove.reset().bind(id).bind(owner.name).run());
    WS_CHECK(insert.reset().bind(id).bind(owner.name).bind(owner.shared).bind(bytes).run());
  }
  return {};
}

Status claim_known(Connection& connection, const std::string& id, std::int64_t bytes) {
  WS_TRY(Statement owners, connection.prepare("SELECT count(*), coalesce(max(CASE WHEN owner = "
                                              "viewer() THEN 1 ELSE 0 END), 0) "
                                              "FROM owners WHERE id = ?"));
  WS_TRY([[maybe_unused]] const bool row, owners.bind(id).step());
  if (owners.integer(0) == 0) {
    return {};
  }
  if (owners.integer(1) == 0) {
    WS_CHECK(check_room(connection, bytes));
  }
  return put_owner(connection, id, bytes);
}

std::string own_ref(const std::string& name) {
  const Viewer& viewer = current_viewer();
  return viewer.shares ? name : viewer.owner + ":" + name;
}

std::string shown_ref(const std::string& stored) {
  const Viewer& viewer = current_viewer();
  const bool own = !viewer.owner.empty() && stored.starts_with(viewer.owner + ":");
  return own ? stored.substr(viewer.owner.size() + 1) : stored;
}

Result<bool> may_move(Connection& connection, const std::string& stored) {
  if (current_viewer().sees_all) {
    return true;
  }
  WS_TRY(Statement owner,
         connection.prepare("SELECT coalesce(max(CASE WHEN owner = viewer() THEN 1 ELSE 0 END), 1) "
                            "FROM owners WHERE id = ?"));
  WS_TRY([[maybe_unused]] const bool row, owner.bind(stored).step());
  return owner.integer(0) != 0;
}

}  // namespace ws::store
