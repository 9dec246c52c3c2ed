// Problems and kernels.
#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/store.h"
#include "runtime/archive/store/visible.h"
#include "runtime/base/clock.h"
#include "runtime/base/viewer.h"
#include "runtime/kernel/ids.h"

namespace ws::store {
namespace {

std::string kernel_columns() {
  return "SELECT id, name, problem_id, " + seen_parent("kernels.parent") +
         ", json, created_at FROM kernels ";
}

tl::unexpected<Error> unknown(const char* what, const std::string& id) {
  return fail(ErrorCode::kNotFound, std::string("no ") + what + " `" + id + "`",
              "ids come from compile_kernel");
}

tl::unexpected<Error> other_content(const std::string& id) {
  return fail(ErrorCode::kConflict,
              id + " is the id of different content here; nothing was changed",
              "change the text, even if only a comment, and send it again; `warpsmith archive "
              "verify` says whether the stored row is damaged");
}

/// Checks that the content stored under an id is the given one.
Status same_row(const std::string& id, const std::string& stored, const std::string& sent) {
  return same_content(stored, sent) ? Status() : other_content(id);
}

struct StoredRow {
  std::string json;
  bool claimed = false;  ///< The viewer need not claim it.
};

/// @param table  "problems" or "kernels".
Result<std::optional<StoredRow>> stored_row(Connection& connection, const std::string& table,
                                            const std::string& id) {
  WS_TRY(Statement row, connection.prepare("SELECT json, " + claimed_sql(table + ".id") + " FROM " +
                                           table + " WHERE id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? std::optional(StoredRow{row.text(0), row.integer(1) != 0}) : std::nullopt;
}

Result<bool> exists(Connection& connection, const std::string& sql, const std::string& id) {
  WS_TRY(Statement statement, connection.prepare(sql));
  return statement.bind(id).step();
}

/// The role of a node does not see a row of others, which the content that it sends may have.
/// @return  Whether there is one, which is the viewer's too now.
Result<bool> claim_hidden(Connection& connection, const std::string& table, const std::string& id,
                          const std::string& json, std::int64_t bytes) {
  const Viewer& viewer = current_viewer();
  if (!viewer.lease) {
    return false;
  }
  WS_TRY(Statement hidden, connection.prepare("SELECT node_hides(?, ?)"));
  WS_TRY([[maybe_unused]] const bool found, hidden.bind(table).bind(id).step());
  if (hidden.integer(0) == 0) {
    return false;
  }
  WS_CHECK(check_room(connection, bytes));
  WS_TRY(Statement admit, connection.prepare("SELECT node_admit(?, ?, ?, ?, ?, ?)"));
  admit.bind(table).bind(id).bind(json).bind(viewer.owner);
  admit.bind(std::int64_t{viewer.shares}).bind(bytes);
  WS_TRY([[maybe_unused]] const bool row, admit.step());
  return admit.integer(0) != 0 ? Result<bool>(true) : other_content(id);
}

/// A kernel is seen with its problem.
Status claim_problem_of(Connection& connection, const KernelRow& kernel) {
  WS_TRY(Statement row, connection.prepare("SELECT name, json FROM problems WHERE id = ?"));
  WS_TRY([[maybe_unused]] const bool found, row.bind(kernel.problem_id).step());
  return claim_known(connection, kernel.problem_id, counted_bytes({row.text(0), row.text(1)}));
}

KernelRow read_kernel(const Statement& row) {
  return {row.text(0), row.text(1), row.text(2), row.text(3), row.text(4), row.text(5)};
}

}  // namespace

Status put_problem(Connection& connection, const ProblemRow& problem) {
  WS_TRY(const auto stored, stored_row(connection, "problems", problem.id));
  if (stored) {
    WS_CHECK(same_row(problem.id, stored->json, problem.json));
    return claim_known(connection, problem.id, counted_bytes({problem.name, problem.json}));
  }
  WS_TRY(const bool claimed, claim_hidden(connection, "problems", problem.id, problem.json,
                                          counted_bytes({problem.name, problem.json})));
  if (claimed) {
    return {};
  }
  WS_TRY(Statement statement,
         connection.prepare("INSERT INTO problems(id, name, json, created_at) VALUES(?, ?, ?, ?)"));
  WS_CHECK(
      statement.bind(problem.id).bind(problem.name).bind(problem.json).bind(timestamp_now()).run());
  WS_CHECK(claim_new(connection, problem.id, counted_bytes({problem.name, problem.json})));
  return index_problem(connection, problem);
}

Result<ProblemRow> problem(Connection& connection, const std::string& name) {
  WS_TRY(const std::string id, find_id(connection, Named::kProblem, name));
  WS_TRY(Statement row,
         connection.prepare("SELECT id, name, json, created_at FROM problems WHERE id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  if (!found) {
    return unknown("problem", id);  // It was deleted just now.
  }
  return ProblemRow{row.text(0), row.text(1), row.text(2), row.text(3)};
}

Result<bool> has_kernel(Connection& connection, const std::string& id) {
  return exists(connection, "SELECT 1 FROM kernels WHERE id = ?" + and_seen("kernels.id"), id);
}

Status require_kernel(Connection& connection, const std::string& id) {
  WS_TRY(const bool known, has_kernel(connection, id));
  return known ? Status() : unknown("kernel", id);
}

Result<bool> known_kernel(Connection& connection, const KernelRow& kernel) {
  WS_TRY(const auto stored, stored_row(connection, "kernels", kernel.id));
  if (stored) {
    WS_CHECK(same_row(kernel.id, stored->json, kernel.json));
  }
  return stored && stored->claimed;
}

Status put_kernel(Connection& connection, const KernelRow& kernel, const KernelTraits& traits) {
  WS_TRY(const auto stored, stored_row(connection, "kernels", kernel.id));
  if (stored && stored->claimed) {
    return same_row(kernel.id, stored->json, kernel.json);
  }
  WS_TRY(const bool known_problem,
         exists(connection, "SELECT 1 FROM problems WHERE id = ?" + and_seen("problems.id"),
                kernel.problem_id));
  if (!known_problem) {
    return unknown("problem", kernel.problem_id);
  }
  if (!kernel.parent.empty()) {
    WS_CHECK(require_kernel(connection, kernel.parent));
  }
  WS_CHECK(claim_problem_of(connection, kernel));
  if (stored) {
    WS_CHECK(same_row(kernel.id, stored->json, kernel.json));
    return claim_known(connection, kernel.id, counted_bytes({kernel.name, kernel.json}));
  }
  WS_TRY(const bool claimed, claim_hidden(connection, "kernels", kernel.id, kernel.json,
                                          counted_bytes({kernel.name, kernel.json})));
  if (claimed) {
    return {};
  }
  WS_TRY(Statement statement,
         connection.prepare("INSERT INTO kernels(id, name, problem_id, parent, json, created_at) "
                            "VALUES(?, ?, ?, nullif(?, ''), ?, ?)"));
  WS_CHECK(statement.bind(kernel.id)
               .bind(kernel.name)
               .bind(kernel.problem_id)
               .bind(kernel.parent)
               .bind(kernel.json)
               .bind(timestamp_now())
               .run());
  WS_CHECK(claim_new(connection, kernel.id, counted_bytes({kernel.name, kernel.json})));
  return index_kernels(connection, {{&kernel, &traits}});
}

Result<KernelRow> kernel(Connection& connection, const std::string& name) {
  const bool is_ref = name.find('@') != std::string::npos;
  WS_TRY(const std::string id,
         is_ref ? ref(connection, name) : find_id(connection, Named::kKernel, name));
  WS_TRY(Statement row, connection.prepare(kernel_columns() + "WHERE id = ?"));
  WS_TRY(const bool found, row.bind(id).step());
  return found ? Result<KernelRow>(read_kernel(row)) : unknown("kernel", id);
}

Result<std::vector<KernelRow>> children(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row, connection.prepare(kernel_columns() + "WHERE parent = ?" +
                                           and_seen("kernels.id") + " ORDER BY rowid"));
  return read_rows(row.bind(kernel_id), read_kernel);
}

Result<KernelRow> root(Connection& connection, const std::string& kernel_id) {
  WS_TRY(Statement row,
         connection.prepare(
             "WITH RECURSIVE up(id, parent) AS ("
             "  SELECT id, parent FROM kernels WHERE id = ?" +
             and_seen("kernels.id") +
             "  UNION SELECT k.id, k.parent FROM kernels k JOIN up ON k.id = up.parent" +
             and_seen("k.id") + ") SELECT id FROM up WHERE " + seen_parent("up.parent") + " = ''"));
  WS_TRY(const bool found, row.bind(kernel_id).step());
  return found ? kernel(connection, row.text(0)) : unknown("kernel", kernel_id);
}

}  // namespace ws::store
