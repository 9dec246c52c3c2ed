// Looking after what is stored: what nothing refers to, and what is damaged.

#include <nlohmann/json.hpp>

#include "runtime/archive/store.h"
#include "runtime/kernel/forms.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxIds = 100;
constexpr std::size_t kMaxFindings = 20;

/// Leaves only: what they hang on is one in the next round. ?1: how many days old.
constexpr const char* kUnreachable =
    "SELECT id FROM kernels k WHERE julianday(created_at) <= julianday('now') - ?1 "
    "AND NOT EXISTS (SELECT 1 FROM refs WHERE kernel_id = k.id) "
    "AND NOT EXISTS (SELECT 1 FROM evidence WHERE kernel_id = k.id) "
    "AND NOT EXISTS (SELECT 1 FROM labels WHERE kernel_id = k.id) "
    "AND NOT EXISTS (SELECT 1 FROM claims WHERE kernel_id = k.id) "
    "AND NOT EXISTS (SELECT 1 FROM pass_tries WHERE base_id = k.id OR kernel_id = k.id) "
    "AND NOT EXISTS (SELECT 1 FROM kernels WHERE parent = k.id)";

/// A problem that the next call may still bring kernels for is not old.
constexpr const char* kUnusedProblems =
    "SELECT id FROM problems p WHERE julianday(created_at) <= julianday('now') - ?1 "
    "AND NOT EXISTS (SELECT 1 FROM kernels WHERE problem_id = p.id)";

Result<std::vector<std::string>> ids_of(Connection& connection, const char* sql, int days) {
  WS_TRY(Statement row, connection.prepare(sql));
  row.bind(std::int64_t{days});
  std::vector<std::string> ids;
  while (true) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return ids;
    }
    ids.push_back(row.text(0));
  }
}

Status remove_each(Connection& connection, const std::vector<std::string>& ids,
                   std::initializer_list<const char*> statements) {
  for (const char* sql : statements) {
    WS_TRY(Statement remove, connection.prepare(sql));
    for (const std::string& id : ids) {
      WS_CHECK(remove.reset().bind(id).run());
    }
  }
  return {};
}

/// Rows of one table, each with what is wrong with it.
class Checker {
 public:
  explicit Checker(Connection& connection)
      : connection_(connection) {}

  ArchiveCheck take() { return std::move(check_); }

  Status problems() {
    WS_TRY(Statement row, connection_.prepare("SELECT id, json FROM problems"));
    while (true) {
      WS_TRY(const bool more, row.step());
      if (!more) {
        return {};
      }
      ++check_.problems;
      const Result<Problem> problem = parse_problem(row.text(1));
      note(row.text(0), problem ? Result<std::string>(problem->id) : fail(problem.error()));
    }
  }

  Status kernels() {
    WS_TRY(Statement row,
           connection_.prepare("SELECT id, problem_id, json FROM kernels ORDER BY problem_id"));
    while (true) {
      WS_TRY(const bool more, row.step());
      if (!more) {
        return {};
      }
      ++check_.kernels;
      note(row.text(0), kernel_id(row.text(1), row.text(2)));
    }
  }

  /// Of evidence and claims, which have no hash: that they are JSON.
  Status records(const char* sql, std::uint64_t& count) {
    WS_TRY(Statement row, connection_.prepare(sql));
    while (true) {
      WS_TRY(const bool more, row.step());
      if (!more) {
        return {};
      }
      ++count;
      const bool sound = nlohmann::json::accept(row.text(1));
      note(row.text(0), sound ? Result<std::string>(row.text(0))
                              : fail(ErrorCode::kIo, "the record is not JSON"));
    }
  }

  Status all() {
    WS_CHECK(problems());
    WS_CHECK(kernels());
    WS_CHECK(records("SELECT id, json FROM evidence", check_.evidence));
    return records("SELECT id, json FROM claims", check_.claims);
  }

 private:
  Result<std::string> kernel_id(const std::string& problem_id, const std::string& json) {
    if (last_.id != problem_id) {
      WS_TRY(const ProblemRow row, problem(connection_, problem_id));
      WS_TRY(last_, parse_problem(row.json));
    }
    WS_TRY(const Kernel kernel, parse_kernel(json, last_));
    return kernel.id;
  }

  void note(const std::string& id, const Result<std::string>& worked_out) {
    if (worked_out && *worked_out == id) {
      return;
    }
    ++check_.damaged;
    if (check_.findings.size() < kMaxFindings) {
      check_.findings.push_back(
          id + ": " +
          (worked_out ? "its content has the id " + *worked_out : to_text(worked_out.error())));
    }
  }

  Connection& connection_;
  ArchiveCheck check_;
  Problem last_;  ///< Kernels are read by problem.
};

}  // namespace

Result<GarbageReport> collect_garbage(Connection& connection, int days) {
  GarbageReport report;
  while (true) {
    WS_TRY(const std::vector<std::string> ids, ids_of(connection, kUnreachable, days));
    if (ids.empty()) {
      break;
    }
    report.kernels += ids.size();
    for (const std::string& id : ids) {
      if (report.ids.size() < kMaxIds) {
        report.ids.push_back(id);
      }
    }
    WS_CHECK(remove_each(
        connection, ids,
        {"DELETE FROM standings WHERE kernel = (SELECT seq FROM indexed_kernels "
         "WHERE kernel_id = ?)",
         "DELETE FROM indexed_kernels WHERE kernel_id = ?", "DELETE FROM kernels WHERE id = ?"}));
  }
  WS_TRY(const std::vector<std::string> unused, ids_of(connection, kUnusedProblems, days));
  report.problems = unused.size();
  WS_CHECK(remove_each(
      connection, unused,
      {"DELETE FROM problem_facts WHERE problem_id = ?", "DELETE FROM problems WHERE id = ?"}));
  if (report.kernels > 0) {
    WS_CHECK(connection.execute(
        "DELETE FROM fingerprints WHERE id NOT IN (SELECT fingerprint FROM indexed_kernels);"
        "DELETE FROM fingerprint_bands WHERE fingerprint NOT IN (SELECT id FROM fingerprints)"));
  }
  return report;
}

Result<ArchiveCheck> check(Connection& connection) {
  Checker checker(connection);
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  WS_CHECK(checker.all());
  return checker.take();
}

Result<std::vector<std::string>> sample_passed(Connection& connection, const std::string& device,
                                               int count) {
  WS_TRY(Statement row,
         connection.prepare("SELECT k.kernel_id FROM standings s JOIN indexed_kernels k "
                            "ON k.seq = s.kernel WHERE s.device = ? AND s.state = 2 "
                            "ORDER BY random() LIMIT ?"));
  row.bind(device).bind(std::int64_t{count});
  std::vector<std::string> ids;
  while (true) {
    WS_TRY(const bool more, row.step());
    if (!more) {
      return ids;
    }
    ids.push_back(row.text(0));
  }
}

}  // namespace ws::store
