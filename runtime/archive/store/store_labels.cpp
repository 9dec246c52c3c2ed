// Labels and claims.
#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"
#include "runtime/base/viewer.h"

namespace ws::store {

namespace {

constexpr std::size_t kMaxNote = 2000;
constexpr std::size_t kMaxTag = 64;

/// A tag is made of what a ref's name is made of.
Status check_label(const LabelRow& label) {
  const bool is_tag = label.kind == "tag";
  const std::size_t limit = is_tag ? kMaxTag : kMaxNote;
  const bool fits = !label.text.empty() && label.text.size() <= limit;
  const bool plain =
      label.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") == std::string::npos;
  if (fits && (!is_tag || plain)) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              is_tag ? "a tag has 1 to 64 lower-case letters, digits and _ . -"
                     : "a note has 1 to 2000 bytes, got " + std::to_string(label.text.size()));
}

Status put_row(Connection& connection, const std::string& kernel_id, const LabelRow& label) {
  WS_TRY(Statement there, connection.prepare("SELECT seq FROM labels WHERE kernel_id = ? "
                                             "AND kind = ? AND text = ?"));
  WS_TRY(const bool found, there.bind(kernel_id).bind(label.kind).bind(label.text).step());
  if (found) {  // This label was set here, which counts more than a claim.
    WS_TRY(Statement update,
           connection.prepare("UPDATE labels SET imported = 0 WHERE seq = ? AND ? = 0 "
                              "AND imported <> 0"));
    WS_CHECK(update.bind(there.integer(0)).bind(std::int64_t{label.imported}).run());
    return claim_known(connection, label_id(there.integer(0)), counted_bytes({label.text}));
  }
  WS_TRY(Statement insert,
         connection.prepare("INSERT INTO labels(kernel_id, kind, text, created_at, imported) "
                            "VALUES(?, ?, ?, ?, ?)"));
  insert.bind(kernel_id).bind(label.kind).bind(label.text).bind(timestamp_now());
  WS_TRY(const std::int64_t seq, insert.bind(std::int64_t{label.imported}).insert("seq"));
  return claim_new(connection, label_id(seq), counted_bytes({label.text}));
}

Result<PutOutcome> put_row_if_valid(Connection& connection, const std::string& kernel_id,
                                    const LabelRow& label) {
  PutOutcome outcome;
  if (const Status valid = check_label(label); !valid) {
    outcome.error = valid.error();
    return outcome;
  }
  const std::int64_t before = connection.total_changes();
  WS_CHECK(put_row(connection, kernel_id, label));
  outcome.added = connection.total_changes() > before;
  return outcome;
}

}  // namespace

Status put_label(Connection& connection, const LabelRow& label) {
  WS_TRY(const std::vector<PutOutcome> outcomes, put_labels(connection, {&label, 1}));
  return outcomes.front().error ? Status(fail(*outcomes.front().error)) : Status();
}

Result<std::vector<PutOutcome>> put_labels(Connection& connection,
                                           std::span<const LabelRow> labels) {
  std::vector<PutOutcome> outcomes;
  const Result<KernelRow> known = kernel(connection, labels.front().kernel_id);
  if (!known) {
    if (known.error().code == ErrorCode::kIo || known.error().code == ErrorCode::kBusy) {
      return fail(known.error());
    }
    for (const LabelRow& label : labels) {
      const Status valid = check_label(label);
      outcomes.push_back({.added = false, .error = valid ? known.error() : valid.error()});
    }
    return outcomes;
  }
  WS_CHECK(change_labels(connection, known->id, [&]() -> Status {
    for (const LabelRow& label : labels) {
      WS_TRY(PutOutcome outcome, put_row_if_valid(connection, known->id, label));
      outcomes.push_back(std::move(outcome));
    }
    return {};
  }));
  return outcomes;
}

Status remove_label(Connection& connection, const LabelRow& label) {
  return change_labels(connection, label.kernel_id, [&]() -> Status {
    WS_TRY(Statement there, connection.prepare("SELECT seq FROM labels WHERE kernel_id = ? "
                                               "AND kind = ? AND text = ?"));
    WS_TRY(const bool found, there.bind(label.kernel_id).bind(label.kind).bind(label.text).step());
    if (!found) {
      return {};
    }
    if (current_viewer().lease) {
      WS_TRY(Statement both, connection.prepare("SELECT node_remove_label(?)"));
      return both.bind(there.integer(0)).run();
    }
    WS_TRY(Statement remove, connection.prepare("DELETE FROM labels WHERE seq = ?"));
    WS_CHECK(remove.bind(there.integer(0)).run());
    WS_TRY(Statement forget, connection.prepare(kForgetOwners));
    return forget.bind(label_id(there.integer(0))).run();
  });
}

Result<std::vector<LabelRow>> labels(Connection& connection, const std::string& kernel_id,
                                     std::size_t most) {
  WS_TRY(Statement row, connection.prepare("SELECT kernel_id, kind, text, imported FROM labels "
                                           "WHERE kernel_id = ?" +
                                           and_seen(kLabelId) + " ORDER BY seq DESC LIMIT ?"));
  row.bind(kernel_id).bind(static_cast<std::int64_t>(most));
  std::vector<LabelRow> rows;
  while (true) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return rows;
    }
    const std::string kind = row.text(1);
    rows.push_back({row.text(0), kind, kind == "ref" ? shown_ref(row.text(2)) : row.text(2),
                    row.integer(3) != 0});
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
