#include "runtime/archive/check/row_check.h"

#include <nlohmann/json.hpp>

#include "runtime/archive/store/store.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/ids.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxMistakes = 20;
constexpr std::size_t kMaxProblemsKept = 256;

struct TableRow {
  const char* name;
  const char* number;   ///< The column of its rows' numbers.
  const char* problem;  ///< The problem of a kernel, in SQL.
  std::uint64_t ArchiveCheck::* count;
};

constexpr TableRow kChecked[] = {
    {"problems", "rowid", "''", &ArchiveCheck::problems},
    {"kernels", "rowid", "problem_id", &ArchiveCheck::kernels},
    {"evidence", "seq", "''",
     &ArchiveCheck::evidence},  // This and claims have no hash: is it JSON?
    {"claims", "rowid", "''", &ArchiveCheck::claims},
};

}  // namespace

Result<bool> RowCheck::step(Connection& connection) {
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  if (!begun_) {
    WS_CHECK(find_ends(connection));
  }
  const TableRow& table = kChecked[table_];
  const std::string number = table.number;
  WS_TRY(Statement rows,
         connection.prepare("SELECT " + number + ", id, json, " + table.problem + " FROM " +
                            table.name + " WHERE " + number + " > ? AND " + number +
                            " <= ? ORDER BY " + number + " LIMIT ?"));
  rows.bind(last_row_).bind(ends_.at(table_)).bind(rows_at_once_);
  WS_TRY(const std::int64_t count, for_each_row(rows, [&](const Statement& row) {
           last_row_ = row.integer(0);
           check_row(connection, row);
         }));
  check_.*table.count += static_cast<std::uint64_t>(count);
  if (count < rows_at_once_) {
    ++table_;
    last_row_ = 0;
  }
  return table_ < kTables;
}

Status RowCheck::find_ends(Connection& connection) {
  for (std::size_t table = 0; table < kTables; ++table) {
    WS_TRY(Statement row,
           connection.prepare("SELECT coalesce(max(" + std::string(kChecked[table].number) +
                              "), 0) FROM " + kChecked[table].name));
    WS_TRY([[maybe_unused]] const bool there, row.step());
    ends_.at(table) = row.integer(0);
  }
  begun_ = true;
  return {};
}

void RowCheck::check_row(Connection& connection, const Statement& row) {
  const std::uint64_t ArchiveCheck::* table = kChecked[table_].count;
  if (table == &ArchiveCheck::problems) {
    note(row.text(1), problem_id(row.text(2)));
  } else if (table == &ArchiveCheck::kernels) {
    note(row.text(1), kernel_id(connection, row.text(3), row.text(2)));
  } else {
    note(row.text(1), nlohmann::json::accept(row.text(2))
                          ? Result<std::string>(row.text(1))
                          : fail(ErrorCode::kIo, "the record is not JSON"));
  }
}

Result<std::string> RowCheck::problem_id(const std::string& json) {
  WS_TRY(const Problem problem, parse_problem(json));
  return problem.id;
}

Result<std::string> RowCheck::kernel_id(Connection& connection, const std::string& problem_id,
                                        const std::string& json) {
  auto known = problems_.find(problem_id);
  if (known == problems_.end()) {
    WS_TRY(const ProblemRow row, problem(connection, problem_id));
    WS_TRY(Problem parsed, parse_problem(row.json));
    parsed.id = problem_id;
    if (problems_.size() >= kMaxProblemsKept) {
      problems_.clear();
    }
    known = problems_.emplace(problem_id, std::move(parsed)).first;
  }
  WS_TRY(const Kernel kernel, parse_kernel(json, known->second));
  return kernel.id;
}

void RowCheck::note(const std::string& id, const Result<std::string>& worked_out) {
  if (worked_out && (*worked_out == id || older_id(*worked_out) == id)) {
    return;
  }
  ++check_.damaged;
  if (check_.findings.size() < kMaxMistakes) {
    check_.findings.push_back(
        id + ": " +
        (worked_out ? "its content has the id " + *worked_out : to_text(worked_out.error())));
  }
}

}  // namespace ws::store
