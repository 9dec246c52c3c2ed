#include <utility>

#include "runtime/archive/store/sqlite_engine.h"
#include "runtime/base/viewer.h"

namespace ws {
namespace {

// How long a write waits for another process; a write takes milliseconds.
constexpr int kBusyTimeoutMs = 10000;

struct CodeRow {
  int code;  // SQLite's primary result code.
  ErrorCode error;
  const char* message;  // After "the archive `<path>` ".
  const char* hint;
};

constexpr const char* kMoveAway = "move the file away to start a new one, or restore a copy";
constexpr const char* kMakeWritable =
    "make its folder writable, or choose another one with --data DIR";

constexpr CodeRow kCodes[] = {
    {SQLITE_NOTADB, ErrorCode::kIo, "is not a database; nothing was changed", kMoveAway},
    {SQLITE_CORRUPT, ErrorCode::kIo, "is damaged; nothing was changed", kMoveAway},
    {SQLITE_CANTOPEN, ErrorCode::kIo, "cannot be opened", kMakeWritable},
    {SQLITE_READONLY, ErrorCode::kIo, "cannot be written", kMakeWritable},
    {SQLITE_PERM, ErrorCode::kIo, "cannot be opened", kMakeWritable},
    {SQLITE_FULL, ErrorCode::kIo, "cannot grow: the disk is full", "free some space"},
    {SQLITE_BUSY, ErrorCode::kBusy, "is in use by another process", "try again"},
};

tl::unexpected<Error> sqlite_error(int code, const std::string& path, std::string source) {
  constexpr int kPrimaryMask = 0xff;
  for (const CodeRow& row : kCodes) {
    if (row.code == (code & kPrimaryMask)) {
      return fail(row.error, "the archive `" + path + "` " + row.message, row.hint,
                  std::move(source));
    }
  }
  return fail(ErrorCode::kIo, "the archive `" + path + "` cannot be used", "", std::move(source));
}

tl::unexpected<Error> sqlite_error(sqlite3* connection, const std::string& path, const char* call) {
  const int code = connection == nullptr ? SQLITE_NOMEM : sqlite3_errcode(connection);
  return sqlite_error(code, path,
                      std::string(call) + ": " +
                          (connection == nullptr ? "out of memory" : sqlite3_errmsg(connection)));
}

tl::unexpected<Error> sqlite_error(sqlite3* connection, const char* call) {
  const char* path = sqlite3_db_filename(connection, "main");
  return sqlite_error(connection, path == nullptr ? "" : path, call);
}

/// viewer(): the owner's name of whoever this thread works for; see visible.h.
void give_viewer(sqlite3_context* call, int /*count*/, sqlite3_value** /*arguments*/) {
  const std::string& owner = current_viewer().owner;
  sqlite3_result_text(call, owner.data(), static_cast<int>(owner.size()), SQLITE_TRANSIENT);
}

/// Over SQLite's own statement.
class SqliteStatement final : public StatementEngine {
 public:
  SqliteStatement(sqlite3* connection, sqlite3_stmt* statement)
      : connection_(connection),
        statement_(statement) {}

  ~SqliteStatement() override { sqlite3_finalize(statement_); }

  void bind_text(int place, std::string_view text) override {
    // A null pointer would bind NULL: an empty text is a text.
    sqlite3_bind_text64(statement_, place, text.empty() ? "" : text.data(), text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  void bind_integer(int place, std::int64_t value) override {
    sqlite3_bind_int64(statement_, place, value);
  }

  void bind_real(int place, double value) override {
    sqlite3_bind_double(statement_, place, value);
  }

  void bind_null(int place) override { sqlite3_bind_null(statement_, place); }

  void bind_blob(int place, const void* bytes, std::size_t size) override {
    sqlite3_bind_blob64(statement_, place, bytes, size, SQLITE_TRANSIENT);
  }

  void reset() override {
    sqlite3_reset(statement_);  // Tells the last step's error again.
  }

  void clear() override {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  Result<bool> step() override {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      return sqlite_error(connection_, "sqlite3_step");
    }
    return code == SQLITE_ROW;
  }

  Result<std::int64_t> insert(const char* /*number*/) override {
    WS_TRY([[maybe_unused]] const bool row, step());
    return sqlite3_last_insert_rowid(connection_);
  }

  [[nodiscard]] std::string text(int column) const override {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
  }

  [[nodiscard]] std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_, column);
  }

  [[nodiscard]] std::optional<double> real(int column) const override {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) {
      return std::nullopt;
    }
    return sqlite3_column_double(statement_, column);
  }

 private:
  sqlite3* const connection_;
  sqlite3_stmt* const statement_;
};

}  // namespace

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string& path,
                                                                 bool read_only) {
  // FULLMUTEX costs little beside a disk write and keeps a mistake in locking from corrupting
  // memory.
  const int mode = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, mode | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<SqliteConnection> connection(new SqliteConnection(raw));
  if (code != SQLITE_OK) {
    return sqlite_error(raw, path, "sqlite3_open_v2");
  }
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  if (sqlite3_create_function_v2(raw, "viewer", 0, SQLITE_UTF8, nullptr, &give_viewer, nullptr,
                                 nullptr, nullptr) != SQLITE_OK) {
    return sqlite_error(raw, path, "sqlite3_create_function_v2");
  }
  return connection;
}

Result<std::unique_ptr<StatementEngine>> SqliteConnection::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    return sqlite_error(connection_.get(), "sqlite3_prepare_v3");
  }
  return std::make_unique<SqliteStatement>(connection_.get(), statement);
}

Status SqliteConnection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return sqlite_error(connection_.get(), "sqlite3_exec");
  }
  return {};
}

Status SqliteConnection::begin_write() {
  return execute("BEGIN IMMEDIATE");
}

Status SqliteConnection::begin_read() {
  return execute("BEGIN");
}

Status SqliteConnection::commit() {
  return execute("COMMIT");
}

Status SqliteConnection::roll_back() {
  return execute("ROLLBACK");
}

int SqliteConnection::changes() const {
  return sqlite3_changes(connection_.get());
}

std::int64_t SqliteConnection::total_changes() const {
  return sqlite3_total_changes64(connection_.get());
}

Status SqliteConnection::copy_to(
    SqliteConnection& target,
    const std::function<void(std::int64_t done, std::int64_t pages)>& progress) {
  constexpr int kPagesAtOnce = 2048;  // 8 MiB.
  const std::unique_ptr<sqlite3_backup, decltype(&sqlite3_backup_finish)> copy(
      sqlite3_backup_init(target.connection_.get(), "main", connection_.get(), "main"),
      &sqlite3_backup_finish);
  if (copy == nullptr) {
    return sqlite_error(target.connection_.get(), "sqlite3_backup_init");
  }
  for (;;) {
    const int code = sqlite3_backup_step(copy.get(), kPagesAtOnce);
    if (code != SQLITE_OK && code != SQLITE_DONE) {
      const char* path = sqlite3_db_filename(target.connection_.get(), "main");
      return sqlite_error(code, path == nullptr ? "" : path,
                          std::string("sqlite3_backup_step: ") + sqlite3_errstr(code));
    }
    if (progress) {
      const std::int64_t pages = sqlite3_backup_pagecount(copy.get());
      progress(pages - sqlite3_backup_remaining(copy.get()), pages);
    }
    if (code == SQLITE_DONE) {
      return {};
    }
  }
}

void SqliteConnection::write_back_at(int log_pages) {
  most_log_pages_ = log_pages;
  const auto note = [](void* kept, sqlite3* connection, const char* database, int pages) {
    auto* const log = static_cast<SqliteConnection*>(kept);
    log->log_pages_ = pages;
    if (pages >= log->most_log_pages_) {
      // Pages that a reader still needs stay in the log until a later commit: no error.
      sqlite3_wal_checkpoint_v2(connection, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    }
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection_.get(), note, this);
}

}  // namespace ws
