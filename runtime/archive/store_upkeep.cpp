// Looking after what is stored: what is damaged.
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/archive/index_check.h"
#include "runtime/archive/store.h"
#include "runtime/kernel/forms.h"

namespace ws::store {
namespace {

constexpr std::size_t kMaxMistakes = 20;

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
    if (check_.findings.size() < kMaxMistakes) {
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

Result<ArchiveCheck> check(Connection& connection) {
  Checker checker(connection);
  Snapshot snapshot(connection);
  WS_CHECK(snapshot.begin());
  WS_CHECK(checker.all());
  ArchiveCheck found = checker.take();
  WS_TRY(IndexCheck index, check_index(connection));
  found.misindexed = index.wrong;
  std::move(index.findings.begin(), index.findings.end(), std::back_inserter(found.findings));
  return found;
}

Result<std::vector<std::string>> sample_passed(Connection& connection, const std::string& device,
                                               int count) {
  WS_TRY(Statement row,
         connection.prepare("SELECT k.kernel_id FROM standings s JOIN indexed_kernels k "
                            "ON k.seq = s.kernel WHERE s.device = ? AND s.state = 2 "
                            "ORDER BY random() LIMIT ?"));
  row.bind(device).bind(std::int64_t{count});
  return texts(row);
}

}  // namespace ws::store
