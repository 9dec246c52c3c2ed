// Rows in bulk: of an import, and as lines of an export.
#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "runtime/archive/store/store.h"
#include "runtime/base/viewer.h"

namespace ws::store {
namespace {

using Json = nlohmann::json;

Status put_claim(Connection& connection, const ClaimRow& claim) {
  WS_TRY(Statement own, connection.prepare("SELECT 1 FROM evidence WHERE id = ?"));
  WS_TRY(const bool measured_here, own.bind(claim.id).step());
  return measured_here ? Status() : add_claim(connection, claim);
}

/// An import moves no ref.
Status put_ref(Connection& connection, const LabelRow& label) {
  const Result<std::string> now = ref(connection, label.text);
  if (now && *now == label.kernel_id) {
    return {};
  }
  if (label.kind == "checkpoint") {
    return add_ref(connection, {.name = label.text,
                                .kernel_id = label.kernel_id,
                                .fixed = true,
                                .updated_at = {},
                                .imported = label.imported});
  }
  return set_ref(connection, label.text, label.kernel_id, "", label.imported);
}

Status put_item(Connection& connection, const ArchiveItem& item, const KernelTraits& traits) {
  switch (item.kind) {
    case ArchiveItem::Kind::kProblem:
      return put_problem(connection, item.problem);
    case ArchiveItem::Kind::kKernel:
      return put_kernel(connection, item.kernel, traits);
    case ArchiveItem::Kind::kClaim:
      return put_claim(connection, item.claim);
    case ArchiveItem::Kind::kLabel:
      return put_label(connection, item.label);
    case ArchiveItem::Kind::kRef:
      return put_ref(connection, item.label);
  }
  return fail(ErrorCode::kInternal, "an item of no kind");
}

/// Puts the item as each of its owners would have.
Status put_owned(Connection& connection, const ArchiveItem& item, const KernelTraits& traits) {
  if (item.owners.empty()) {
    return put_item(connection, item, traits);
  }
  for (const auto& [owner, shared] : item.owners) {
    const ViewerScope viewer(
        std::make_shared<const Viewer>(Viewer{.owner = owner, .sees_all = true, .shares = shared}));
    WS_CHECK(put_item(connection, item, traits));
  }
  return {};
}

/// JSON text as a value; invalid text (which only damage makes) as a string.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

Json problem_line(const Statement& row) {
  return {{"type", "problem"}, {"id", row.text(0)}, {"form", value_of(row.text(1))}};
}

Json kernel_line(const Statement& row) {
  Json line = {{"type", "kernel"},
               {"id", row.text(0)},
               {"problem_id", row.text(1)},
               {"form", value_of(row.text(3))}};
  if (!row.text(2).empty()) {
    line["parent"] = row.text(2);
  }
  return line;
}

Json evidence_line(const Statement& row) {
  return {{"type", "evidence"},       {"id", row.text(0)},
          {"kernel_id", row.text(1)}, {"problem_id", row.text(2)},
          {"device", row.text(3)},    {"kind", row.text(4)},
          {"key", row.text(5)},       {"verdict", row.text(6)},
          {"at_ms", row.integer(7)},  {"record", value_of(row.text(8))}};
}

/// A claim of an older version of this program has no id in its text.
Json claim_line(const Statement& row) {
  Json line = value_of(row.text(1));
  if (line.is_object() && line.contains("type")) {
    line["id"] = row.text(0);
  }
  return line;
}

Json label_line(const Statement& row) {
  return {
      {"type", "label"}, {"kernel_id", row.text(0)}, {"kind", row.text(1)}, {"text", row.text(2)}};
}

/// A ref of a principal that does not share has its name before its own.
Json ref_line(const Statement& row) {
  const std::string stored = row.text(0);
  const std::size_t colon = stored.rfind(':');
  const bool is_own = colon != std::string::npos;
  Json line = {{"type", "ref"},
               {"name", is_own ? stored.substr(colon + 1) : stored},
               {"kernel_id", row.text(1)}};
  if (row.integer(2) != 0) {
    line["checkpoint"] = true;
  }
  return line;
}

/// Rows that are read at once: PostgreSQL's are in memory together, and one may have megabytes.
constexpr std::int64_t kExportedAtOnce = 64;

struct Exported {
  const char* sql;  ///< ?1: the number of the last row that was read; ?2: kExportedAtOnce.
  Json (*line)(const Statement& row);
  int number = 0;  ///< The column with the row's number; 0: all rows are read at once.
  int owners = 0;  ///< The column with {principal: whether it shares}; 0: none.
};

/// In this order each row comes after those that it needs. A parent was stored before its children.
constexpr Exported kExported[] = {
    {"SELECT id, json, rowid, (SELECT json_group_object(owner, shared) FROM owners o WHERE o.id = "
     "problems.id) FROM problems WHERE rowid > ?1 ORDER BY rowid LIMIT ?2",
     &problem_line, 2, 3},
    {"SELECT id, problem_id, coalesce(parent, ''), json, rowid, (SELECT json_group_object(owner, "
     "shared) FROM owners o WHERE o.id = kernels.id) FROM kernels WHERE rowid > ?1 ORDER BY rowid "
     "LIMIT ?2",
     &kernel_line, 4, 5},
    {"SELECT id, kernel_id, problem_id, device, kind, key, verdict, created_ms, json, seq FROM "
     "evidence WHERE seq > ?1 ORDER BY seq LIMIT ?2",
     &evidence_line, 9},
    {"SELECT id, json, rowid FROM claims WHERE rowid > ?1 ORDER BY rowid LIMIT ?2", &claim_line, 2},
    {"SELECT kernel_id, kind, text, seq, (SELECT json_group_object(owner, shared) FROM owners o "
     "WHERE o.id = 'lbl_' || labels.seq) FROM labels WHERE kind <> 'ref' AND seq > ?1 ORDER BY seq "
     "LIMIT ?2",
     &label_line, 3, 4},
    {"SELECT name, kernel_id, fixed, (SELECT json_group_object(owner, shared) FROM owners o WHERE "
     "o.id = refs.name) FROM refs ORDER BY name",
     &ref_line, 0, 3},
};

/// Everybody's labels of one kernel that stand one after the other; none where another row stands.
std::vector<LabelRow> labels_from(const std::vector<ArchiveItem>& items, std::size_t first) {
  std::vector<LabelRow> labels;
  for (std::size_t i = first;
       i < items.size() && items[i].kind == ArchiveItem::Kind::kLabel && items[i].owners.empty() &&
       items[i].label.kernel_id == items[first].label.kernel_id;
       ++i) {
    labels.push_back(items[i].label);
  }
  return labels;
}

std::string line_of(const Exported& part, const Statement& row) {
  Json line = part.line(row);
  if (part.owners > 0 && row.text(part.owners) != "{}") {
    line["owners"] = value_of(row.text(part.owners));
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::vector<PutOutcome>> put_all(Connection& connection,
                                        const std::vector<ArchiveItem>& items,
                                        const std::vector<KernelTraits>& traits) {
  std::vector<PutOutcome> outcomes;
  outcomes.reserve(items.size());
  while (outcomes.size() < items.size()) {
    const std::size_t i = outcomes.size();
    if (const std::vector<LabelRow> labels = labels_from(items, i); !labels.empty()) {
      WS_TRY(std::vector<PutOutcome> some, put_labels(connection, labels));
      std::move(some.begin(), some.end(), std::back_inserter(outcomes));
      continue;
    }
    const std::int64_t before = connection.total_changes();
    const Status status = put_owned(connection, items[i], traits.at(i));
    PutOutcome& outcome = outcomes.emplace_back();
    if (status) {
      outcome.added = connection.total_changes() > before;
    } else if (status.error().code == ErrorCode::kIo || status.error().code == ErrorCode::kBusy) {
      return fail(status.error());
    } else {
      outcome.error = status.error();
    }
  }
  return outcomes;
}

Status export_lines(Connection& connection,
                    const std::function<Status(std::string_view line)>& sink) {
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  WS_CHECK(sink(R"({"type":"archive","version":1})"));
  for (const Exported& part : kExported) {
    WS_TRY(Statement rows, connection.prepare(part.sql));
    std::int64_t last = 0;
    for (bool more = true; more;) {
      rows.reset();
      if (part.number > 0) {
        rows.bind(last).bind(kExportedAtOnce);
      }
      WS_TRY(const std::int64_t count, for_each_row(rows, [&](const Statement& row) {
               last = part.number > 0 ? row.integer(part.number) : last;
               return sink(line_of(part, row));
             }));
      more = part.number > 0 && count == kExportedAtOnce;
    }
  }
  return {};
}

}  // namespace ws::store
