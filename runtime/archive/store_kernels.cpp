// Problems and kernels.
#include "runtime/archive/search_index.h"
#include "runtime/archive/store.h"
#include "runtime/base/clock.h"

namespace ws::store {
namespace {

constexpr const char* kKernelColumns =
    "SELECT id, name, problem_id, coalesce(parent, ''), json, created_at FROM kernels ";
constexpr const char* kIdsComeFrom = "ids come from compile_kernel";

tl::unexpected<Error> unknown(const char* what, const std::string& id) {
  return fail(ErrorCode::kNotFound, std::string("no ") + what + " `" + id + "`", kIdsComeFrom);
}

Result<bool> exists(Connection& connection, const char* sql, const std::string& id) {
  WS_TRY(Statement statement, connection.prepare(sql));
  return statement.bind(id).step();
}

KernelRow read_kernel(const Statement& row) {
  return {row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)};
}

}  // namespace

Status put_problem(Connection& connection, const ProblemRow& problem) {
  WS_TRY(Statement statement,
         connection.prepare("INSERT INTO problems(id, name, json, created_at) VALUES(?, ?, ?, ?) "
                            "ON CONFLICT DO NOTHING"));
  WS_CHECK(
      statement.bind(problem.id).bind(problem.name).bind(problem.json).bind(timestamp_now()).run());
  return connection.changes() > 0 ? index_problem(connection, problem) : Status();
}

Result<ProblemRow> problem(Connection& connection, const std::string& id) {
  WS_TRY(Statement row,
         connection.prepare("SELECT id, name, json, created_at FROM problems WHERE id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  if (!found) {
    return unknown("problem", id);
  }
  return ProblemRow{row.text(0), row.text(1), row.text(2), row.text(3)};
}

Result<bool> has_kernel(Connection& connection, const std::string& id) {
  return exists(connection, "SELECT 1 FROM kernels WHERE id = ?", id);
}

Status require_kernel(Connection& connection, const std::string& id) {
  WS_TRY(const bool known, has_kernel(connection, id));
  return known ? Status() : unknown("kernel", id);
}

Status put_kernel(Connection& connection, const KernelRow& kernel, const KernelTraits& traits) {
  WS_TRY(const bool known_problem,
         exists(connection, "SELECT 1 FROM problems WHERE id = ?", kernel.problem_id));
  if (!known_problem) {
    return unknown("problem", kernel.problem_id);
  }
  if (!kernel.parent.empty()) {
    WS_CHECK(require_kernel(connection, kernel.parent));
  }
  WS_TRY(Statement statement,
         connection.prepare("INSERT INTO kernels(id, name, problem_id, parent, json, created_at) "
                            "VALUES(?, ?, ?, nullif(?, ''), ?, ?) ON CONFLICT DO NOTHING"));
  // An edit that changes nothing gives the base's id, which must not become its own parent.
  const bool self = kernel.parent == kernel.id;
  WS_CHECK(statement.bind(kernel.id)
               .bind(kernel.name)
               .bind(kernel.problem_id)
               .bind(self ? std::string() : kernel.parent)
               .bind(kernel.json)
               .bind(timestamp_now())
               .run());
  return connection.changes() > 0 ? index_kernel(connection, kernel, traits) : Status();
}

Result<KernelRow> kernel(Connection& connection, const std::string& id_or_ref) {
  std::string id = id_or_ref;
  if (id_or_ref.find('@') != std::string::npos) {
    WS_TRY(id, ref(connection, id_or_ref));
  }
  WS_TRY(Statement row, connection.prepare(std::string(kKernelColumns) + "WHERE id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? Result<KernelRow>(read_kernel(row)) : unknown("kernel", id);
}

Result<std::vector<KernelRow>> children(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare(std::string(kKernelColumns) + "WHERE parent = ? ORDER BY rowid"));
  return read_rows(row.bind(kernel_id), read_kernel);
}

Result<KernelRow> root(Connection& connection, const std::string& kernel_id) {
  WS_TRY(
      Statement row,
      connection.prepare("WITH RECURSIVE up(id, parent) AS ("
                         "  SELECT id, parent FROM kernels WHERE id = ?"
                         "  UNION SELECT k.id, k.parent FROM kernels k JOIN up ON k.id = up.parent"
                         ") SELECT id FROM up WHERE parent IS NULL"));
  WS_TRY(const bool found, row.bind(kernel_id).step());
  return found ? kernel(connection, row.text(0)) : unknown("kernel", kernel_id);
}

}  // namespace ws::store
