#include "runtime/archive/move/moved_tables.h"

#include <bit>
#include <string_view>

#include "runtime/archive/move/move_mark.h"

namespace ws::store {
namespace {

using enum MovedKind;

// Kernels stand behind their parents, as a parent is stored first. The row numbers of problems,
// kernels and claims say in which order they came: lists and searches show the newest first.
constexpr MovedColumn kProblemColumns[] = {
    {"rowid", kInteger}, {"id", kText}, {"name", kText}, {"json", kText}, {"created_at", kText}};
constexpr MovedColumn kKernelColumns[] = {
    {"rowid", kInteger},      {"id", kText},   {"name", kText},      {"problem_id", kText},
    {"parent", kMissingText}, {"json", kText}, {"created_at", kText}};
constexpr MovedColumn kRefColumns[] = {
    {"name", kText}, {"kernel_id", kText}, {"updated_at", kText}, {"fixed", kInteger}};
constexpr MovedColumn kEvidenceColumns[] = {
    {"seq", kInteger}, {"id", kText},         {"kernel_id", kText},    {"problem_id", kText},
    {"device", kText}, {"kind", kText},       {"key", kText},          {"verdict", kText},
    {"json", kText},   {"created_at", kText}, {"created_ms", kInteger}};
constexpr MovedColumn kClaimColumns[] = {{"rowid", kInteger},
                                         {"id", kText},
                                         {"kernel_id", kText},
                                         {"json", kText},
                                         {"imported_at", kText}};
constexpr MovedColumn kLabelColumns[] = {{"seq", kInteger},     {"kernel_id", kText},
                                         {"kind", kText},       {"text", kText},
                                         {"created_at", kText}, {"imported", kInteger}};
constexpr MovedColumn kTryColumns[] = {
    {"seq", kInteger},     {"transformation", kText}, {"pass", kInteger}, {"passes", kInteger},
    {"base_id", kText},    {"kernel_id", kText},      {"verdict", kText}, {"reason", kText},
    {"attempt", kInteger}, {"created_at", kText}};
constexpr MovedColumn kSeriesColumns[] = {
    {"seq", kInteger}, {"name", kText}, {"kernel_id", kText}, {"value", kReal}};
constexpr MovedColumn kLiftedColumns[] = {{"kernel_id", kText}, {"operations", kText}};
constexpr MovedColumn kJobColumns[] = {
    {"id", kText},       {"tool", kText},       {"status", kText},
    {"json", kText},     {"created_at", kText}, {"updated_ms", kInteger},
    {"instance", kText}, {"arguments", kText},  {"resumed", kInteger}};
constexpr MovedColumn kJobClientColumns[] = {
    {"seq", kInteger}, {"client", kText}, {"job_id", kText}};
constexpr MovedColumn kOwnerColumns[] = {
    {"id", kText}, {"owner", kText}, {"shared", kInteger}, {"bytes", kInteger}};
constexpr MovedColumn kSettingColumns[] = {{"key", kText}, {"value", kText}};

// owner_bytes is no table of its own: triggers add up the rows of `owners`. The mark of a move
// belongs to one place, and so does the last try to write (usage.h).
constexpr const char* kContent = "key NOT IN ('archive_move', 'written_at')";
static_assert(std::string_view(kContent).find(kMoveSetting) != std::string_view::npos);

constexpr MovedTable kTables[] = {
    {"problems", "problem", 1, "rowid", "rowid", nullptr, kProblemColumns},
    {"kernels", "kernel", 1, "rowid", "rowid", nullptr, kKernelColumns},
    {"evidence", "evidence", 1, "seq", "seq", nullptr, kEvidenceColumns},
    {"claims", "claim", 1, "rowid", "rowid", nullptr, kClaimColumns},
    {"refs", "ref", 0, "name", nullptr, nullptr, kRefColumns},
    {"labels", "label", 0, "seq", "seq", nullptr, kLabelColumns},
    {"pass_tries", "try at a pass", 0, "seq", "seq", nullptr, kTryColumns},
    {"series", "value of a series", 0, "seq", "seq", nullptr, kSeriesColumns},
    {"lifted_kernels", "lift of kernel", 0, "kernel_id", nullptr, nullptr, kLiftedColumns},
    {"jobs", "job", 0, "id", nullptr, nullptr, kJobColumns},
    {"job_clients", "client of job", 2, "seq", "seq", nullptr, kJobClientColumns},
    {"owners", "owner of", 0, "id, owner", nullptr, nullptr, kOwnerColumns},
    {"settings", "setting", 0, "key", nullptr, kContent, kSettingColumns},
};

std::string columns_of(const MovedTable& table) {
  std::string list;
  for (const MovedColumn& column : table.columns) {
    list += (list.empty() ? "" : ", ") + std::string(column.name);
  }
  return list;
}

std::string from_table(const MovedTable& table) {
  return std::string(" FROM ") + table.name +
         (table.condition == nullptr ? std::string() : std::string(" WHERE ") + table.condition);
}

/// A text that is missing is bound as an empty one, so that a prepared statement fits all rows.
std::string insert_sql(const MovedTable& table) {
  std::string values;
  for (const MovedColumn& column : table.columns) {
    values += (values.empty() ? "" : ", ") +
              std::string(column.kind == kMissingText ? "NULLIF(?, '')" : "?");
  }
  return std::string("INSERT INTO ") + table.name + "(" + columns_of(table) + ") VALUES(" + values +
         ") ON CONFLICT DO NOTHING";
}

MovedValue value_of(const Statement& row, int column, MovedKind kind) {
  switch (kind) {
    case kInteger:
      return row.integer(column);
    case kReal:
      return row.real(column).value_or(0);
    case kText:
    case kMissingText:
      break;
  }
  return row.text(column);
}

}  // namespace

std::span<const MovedTable> moved_tables() {
  return kTables;
}

Result<MovedRows> MovedRows::open(Connection& connection, const MovedTable& table) {
  WS_TRY(Statement rows, connection.prepare("SELECT " + columns_of(table) + from_table(table) +
                                            " ORDER BY " + table.order));
  return MovedRows(std::move(rows), table);
}

Result<bool> MovedRows::next(MovedRow& row) {
  WS_TRY(const bool found, rows_.step());
  row.clear();
  if (found) {
    for (const MovedColumn& column : table_->columns) {
      row.push_back(value_of(rows_, static_cast<int>(row.size()), column.kind));
    }
  }
  return found;
}

Result<std::int64_t> count_moved_rows(Connection& connection, const MovedTable& table) {
  WS_TRY(Statement row, connection.prepare("SELECT count(*)" + from_table(table)));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  return row.integer(0);
}

Result<bool> add_moved_row(Connection& connection, const MovedTable& table, const MovedRow& row) {
  WS_TRY(Statement insert, connection.prepare(insert_sql(table)));
  for (const MovedValue& value : row) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
      insert.bind(*text);
    } else if (const auto* const real = std::get_if<double>(&value)) {
      insert.bind_real(*real);
    } else {
      insert.bind(std::get<std::int64_t>(value));
    }
  }
  WS_CHECK(insert.run());
  return connection.changes() > 0;
}

Status set_next_number(Connection& connection, const MovedTable& table) {
  if (table.number == nullptr || !connection.is_postgres()) {
    return {};  // SQLite does so by itself.
  }
  const std::string number(table.number);
  WS_TRY(Statement set,
         connection.prepare("SELECT setval(pg_get_serial_sequence('" + std::string(table.name) +
                            "', '" + number + "'), max(" + number + ")) FROM " + table.name));
  WS_TRY([[maybe_unused]] const bool found, set.step());
  return {};
}

std::string name_of_row(const MovedTable& table, const MovedRow& row) {
  const MovedValue& value = row[table.named_by];
  const auto* const text = std::get_if<std::string>(&value);
  return std::string(table.row) + " " +
         (text == nullptr ? std::to_string(std::get<std::int64_t>(value)) : *text);
}

std::string bytes_of_row(const MovedRow& row) {
  std::string bytes;
  for (const MovedValue& value : row) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
      bytes += std::to_string(text->size()) + ":" + *text;
    } else if (const auto* const real = std::get_if<double>(&value)) {
      bytes += "r" + std::to_string(std::bit_cast<std::uint64_t>(*real)) + ",";
    } else {
      bytes += "i" + std::to_string(std::get<std::int64_t>(value)) + ",";
    }
  }
  return bytes;
}

}  // namespace ws::store
