// The archive's connections and statements, over SQLite or another engine (engine.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/archive/store/engine.h"
#include "runtime/base/result.h"

namespace ws {

class SqliteConnection;

/// Statements that nobody uses now, by their text: to prepare one takes longer than most run.
class StatementCache {
 public:
  /// Null where there is none.
  std::unique_ptr<StatementEngine> take(const std::string& sql);
  /// Clears it, so that it holds no lock, and keeps it; or ends it when many are kept.
  void give_back(std::string sql, std::unique_ptr<StatementEngine> statement);

 private:
  std::unordered_multimap<std::string, std::unique_ptr<StatementEngine>> idle_;
};

/// One prepared statement, bound and stepped once, or again after reset(). Not for several threads.
class Statement {
 public:
  Statement(std::string sql, std::unique_ptr<StatementEngine> engine,
            std::shared_ptr<StatementCache> cache)
      : sql_(std::move(sql)),
        engine_(std::move(engine)),
        cache_(std::move(cache)) {}

  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = delete;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds the next parameter. The text is copied.
  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t value);
  Statement& bind_real(double value);
  Statement& bind_null();
  /// The bytes are copied.
  Statement& bind_blob(const void* bytes, std::size_t size);

  /// Ready to be bound and stepped again.
  Statement& reset();

  /// True: a row is there to be read. False: done. @errors kIo.
  Result<bool> step();
  /// Steps a statement that gives no rows. @errors kIo.
  Status run();
  /// Runs an INSERT of one row. @return  The value of its column `number`, which the database
  /// chose. @errors kIo.
  Result<std::int64_t> insert(const char* number);

  // The parts of for_each_run(), as in StatementEngine.
  [[nodiscard]] std::size_t runs_at_once() const { return engine_->runs_at_once(); }

  Statement& queue_run();
  Status next_run();
  Result<std::int64_t> next_inserted(const char* number);

  /// Column of the current row, from 0. A blob's bytes are a text too.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  /// Nothing where the column is NULL.
  [[nodiscard]] std::optional<double> real(int column) const;

 private:
  std::string sql_;
  std::unique_ptr<StatementEngine> engine_;
  std::shared_ptr<StatementCache> cache_;
  int bound_ = 0;
};

/// One connection to the archive's database. Not for several threads.
class Connection {
 public:
  /// Opens a file of SQLite's. @param read_only  Refuses to write, and does not make the file.
  /// @errors kIo.
  static Result<Connection> open(const std::string& path, bool read_only);

  explicit Connection(std::unique_ptr<ConnectionEngine> engine);

  /// One that was prepared before is taken from the cache. @errors kIo: a statement that does not
  /// fit the tables, or the file cannot be read.
  Result<Statement> prepare(std::string_view sql);
  /// Runs statements without parameters and rows. @errors kIo.
  Status execute(const std::string& sql);
  /// Rows that the last statement changed.
  [[nodiscard]] int changes() const;
  /// Rows that all statements changed so far.
  [[nodiscard]] std::int64_t total_changes() const;

  [[nodiscard]] bool is_postgres() const { return engine_->kind() == EngineKind::kPostgres; }

  [[nodiscard]] ConnectionEngine& engine() { return *engine_; }

  // Only of SQLite's files:

  /// Copies the database as this connection sees it over the one of `target`, a few megabytes at a
  /// time. Inside a Snapshot of this connection others may write meanwhile, and the copy is what
  /// the snapshot shows; without one, each write of another connection begins the copy anew.
  /// @param progress  Gets the pages that are copied and all of them; may be empty. @errors kIo.
  Status copy_to(Connection& target,
                 const std::function<void(std::int64_t done, std::int64_t pages)>& progress);

  /// From now on a commit that leaves this many pages in the write-ahead log, or more, writes them
  /// back into the file.
  void write_back_at(int log_pages);
  /// Pages in the write-ahead log after the last commit since write_back_at().
  [[nodiscard]] int log_pages() const;

 private:
  explicit Connection(std::unique_ptr<SqliteConnection> file);

  std::unique_ptr<ConnectionEngine> engine_;
  SqliteConnection* file_ = nullptr;  ///< The same; null: it is no file.
  std::shared_ptr<StatementCache> cache_ = std::make_shared<StatementCache>();
};

/// Gives each row that is left to `body`, which may return a Status.
/// @return How many there were. @errors kIo; the first of `body`.
template <typename Body>
Result<std::int64_t> for_each_row(Statement& rows, const Body& body) {
  std::int64_t count = 0;
  while (true) {
    WS_TRY(const bool more, rows.step());
    if (!more) {
      return count;
    }
    ++count;
    if constexpr (std::is_void_v<std::invoke_result_t<const Body&, const Statement&>>) {
      body(std::as_const(rows));
    } else {
      WS_CHECK(body(std::as_const(rows)));
    }
  }
}

/// Queues runs of a statement, as many at once as it takes, and calls next(number) for each.
template <typename Bind, typename Next>
Status for_each_queued(Statement& statement, std::size_t runs, const Bind& bind, const Next& next) {
  for (std::size_t first = 0; first < runs; first += statement.runs_at_once()) {
    const std::size_t end = std::min(first + statement.runs_at_once(), runs);
    statement.reset();
    for (std::size_t run = first; run < end; ++run) {
      bind(statement, run);
      statement.queue_run();
    }
    for (std::size_t run = first; run < end; ++run) {
      WS_CHECK(next(run));
    }
  }
  return {};
}

/// Runs a statement many times. A database gets many runs in one message: each by itself would cost
/// a way there and back, which takes longer than most statements.
/// @param bind  Binds the parameters of a run: bind(statement, number).
/// @param body  Gets the rows of all runs in their order, body(number, row); may return a Status.
/// @errors kIo; the first of `body`.
template <typename Bind, typename Body>
Status for_each_run(Statement& statement, std::size_t runs, const Bind& bind, const Body& body) {
  return for_each_queued(statement, runs, bind, [&](std::size_t run) -> Status {
    WS_CHECK(statement.next_run());
    WS_CHECK(for_each_row(statement, [&](const Statement& row) { return body(run, row); }));
    return {};
  });
}

/// The same of a statement without rows.
template <typename Bind>
Status run_all(Statement& statement, std::size_t runs, const Bind& bind) {
  return for_each_run(statement, runs, bind, [](std::size_t, const Statement&) {});
}

/// The same of an INSERT of one row.
/// @return  The values of its column `number` that the database chose, one for each run.
template <typename Bind>
Result<std::vector<std::int64_t>> insert_all(Statement& statement, const char* number,
                                             std::size_t runs, const Bind& bind) {
  std::vector<std::int64_t> numbers;
  WS_CHECK(for_each_queued(statement, runs, bind, [&](std::size_t) -> Status {
    WS_TRY(const std::int64_t one, statement.next_inserted(number));
    numbers.push_back(one);
    return {};
  }));
  return numbers;
}

/// The values that `read` makes of the rows that are left. @errors kIo.
template <typename Read>
auto read_rows(Statement& rows, const Read& read)
    -> Result<std::vector<std::invoke_result_t<const Read&, const Statement&>>> {
  std::vector<std::invoke_result_t<const Read&, const Statement&>> all;
  WS_CHECK(for_each_row(rows, [&](const Statement& row) { all.push_back(read(row)); }));
  return all;
}

/// The first column of all rows that are left. @errors kIo.
Result<std::vector<std::string>> texts(Statement& rows);

/// A write that is undone unless it is committed. Takes the write lock at once, waiting for another
/// process up to the busy time-out: there is one writer at a time, whatever the engine.
class Transaction {
 public:
  explicit Transaction(Connection& connection)
      : connection_(connection) {}

  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Status begin();
  Status commit();

 private:
  Connection& connection_;
  bool open_ = false;
};

/// Many reads that see one state of the file; also quicker than each on its own. @errors kIo.
class Snapshot {
 public:
  explicit Snapshot(Connection& connection)
      : connection_(connection) {}

  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  Status begin();

 private:
  Connection& connection_;
  bool open_ = false;
};

}  // namespace ws
