// The database below Connection and Statement (sqlite.h), which runs the archive's statements. Both
// engines take the same SQL, with `?` and `?1` for parameters; where they differ,
// Connection::engine() says which one it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

enum class EngineKind : std::uint8_t { kSqlite, kPostgres };

/// One prepared statement. Places of parameters begin with 1, columns with 0. Not for several
/// threads.
class StatementEngine {
 public:
  StatementEngine() = default;
  StatementEngine(const StatementEngine&) = delete;
  StatementEngine& operator=(const StatementEngine&) = delete;
  virtual ~StatementEngine() = default;

  // Each copies what it is given. A value that cannot be bound shows in step().
  virtual void bind_text(int place, std::string_view text) = 0;
  virtual void bind_integer(int place, std::int64_t value) = 0;
  virtual void bind_real(int place, double value) = 0;
  virtual void bind_null(int place) = 0;
  virtual void bind_blob(int place, const void* bytes, std::size_t size) = 0;

  /// Ready to be bound and stepped again.
  virtual void reset() = 0;
  /// The same, and lets go of all that it holds.
  virtual void clear() = 0;

  /// True: a row is there to be read. False: done.
  virtual Result<bool> step() = 0;
  /// Runs an INSERT of one row. @return  The value of its column `number`, which the database
  /// chose.
  virtual Result<std::int64_t> insert(const char* number) = 0;

  // Many runs at once, see for_each_run(): so many are queued, each with what is bound then, and
  // next_run() goes on to the rows of the first, the second and so on. An engine without a way
  // there and back takes one, which step() runs.
  [[nodiscard]] virtual std::size_t runs_at_once() const { return 1; }

  virtual void queue_run() {}

  virtual Status next_run() { return {}; }

  /// The same of a run of an INSERT of one row. @return  As insert().
  virtual Result<std::int64_t> next_inserted(const char* number) { return insert(number); }

  // A column of the current row; empty, zero and nothing where it is NULL.
  [[nodiscard]] virtual std::string text(int column) const = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
  [[nodiscard]] virtual std::optional<double> real(int column) const = 0;
};

/// One connection. Not for several threads. Its statements must not outlive it.
class ConnectionEngine {
 public:
  ConnectionEngine() = default;
  ConnectionEngine(const ConnectionEngine&) = delete;
  ConnectionEngine& operator=(const ConnectionEngine&) = delete;
  virtual ~ConnectionEngine() = default;

  [[nodiscard]] virtual EngineKind kind() const = 0;
  virtual Result<std::unique_ptr<StatementEngine>> prepare(const std::string& sql) = 0;
  /// Runs statements without parameters and rows.
  virtual Status execute(const std::string& sql) = 0;

  /// Begins a transaction that writes, when no other one of the archive's does. @errors kBusy.
  virtual Status begin_write() = 0;
  /// Begins reads that all see one state.
  virtual Status begin_read() = 0;
  virtual Status commit() = 0;
  virtual Status roll_back() = 0;

  /// Rows that the last statement changed, and that all did.
  [[nodiscard]] virtual int changes() const = 0;
  [[nodiscard]] virtual std::int64_t total_changes() const = 0;
};

}  // namespace ws
