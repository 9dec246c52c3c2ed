#include "runtime/archive/store/sqlite.h"

#include "runtime/base/log.h"
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

}  // namespace

StatementCache::~StatementCache() {
  for (const auto& [sql, statement] : idle_) {
    sqlite3_finalize(statement);
  }
}

sqlite3_stmt* StatementCache::take(const std::string& sql) {
  const auto found = idle_.find(sql);
  if (found == idle_.end()) {
    return nullptr;
  }
  sqlite3_stmt* const statement = found->second;
  idle_.erase(found);
  return statement;
}

void StatementCache::give_back(sqlite3_stmt* statement) {
  constexpr std::size_t kMost = 256;  // There are fewer texts than that.
  if (idle_.size() >= kMost) {
    sqlite3_finalize(statement);
    return;
  }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);  // A bound text may be megabytes long.
  idle_.emplace(sqlite3_sql(statement), statement);
}

Statement& Statement::bind(std::string_view text) {
  // A null pointer would bind NULL: an empty text is a text. Failure shows up in step().
  sqlite3_bind_text64(statement_.get(), ++bound_, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind_real(double value) {
  sqlite3_bind_double(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::bind_null() {
  sqlite3_bind_null(statement_.get(), ++bound_);
  return *this;
}

Statement& Statement::bind_blob(const void* bytes, std::size_t size) {
  sqlite3_bind_blob64(statement_.get(), ++bound_, bytes, size, SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::reset() {
  sqlite3_reset(statement_.get());  // Tells the last step's error again.
  bound_ = 0;
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    return sqlite_error(sqlite3_db_handle(statement_.get()), "sqlite3_step");
  }
  return code == SQLITE_ROW;
}

Status Statement::run() {
  WS_TRY([[maybe_unused]] const bool row, step());
  return {};
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> Statement::real(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) {
    return std::nullopt;
  }
  return sqlite3_column_double(statement_.get(), column);
}

Result<Connection> Connection::open(const std::string& path, bool read_only) {
  // FULLMUTEX costs little beside a disk write and keeps a mistake in locking from corrupting
  // memory.
  const int mode = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, mode | SQLITE_OPEN_FULLMUTEX, nullptr);
  Connection connection;
  connection.connection_.reset(raw);
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

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = cache_->take(std::string(sql));
  if (statement == nullptr) {
    const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
      return sqlite_error(connection_.get(), "sqlite3_prepare_v3");
    }
  }
  return Statement(statement, cache_);
}

Status Connection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return sqlite_error(connection_.get(), "sqlite3_exec");
  }
  return {};
}

int Connection::changes() const {
  return sqlite3_changes(connection_.get());
}

std::int64_t Connection::total_changes() const {
  return sqlite3_total_changes64(connection_.get());
}

std::int64_t Connection::last_row() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

Status Connection::copy_to(
    Connection& target,
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

void Connection::write_back_at(int log_pages) {
  log_->most = log_pages;
  const auto note = [](void* kept, sqlite3* connection, const char* database, int pages) {
    auto* const log = static_cast<Log*>(kept);
    log->pages = pages;
    if (pages >= log->most) {
      // Pages that a reader still needs stay in the log until a later commit: no error.
      sqlite3_wal_checkpoint_v2(connection, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    }
    return SQLITE_OK;
  };
  sqlite3_wal_hook(connection_.get(), note, log_.get());
}

int Connection::log_pages() const {
  return log_->pages;
}

namespace {

/// For destructors, which cannot report.
void roll_back(Connection& connection) {
  if (const Status status = connection.execute("ROLLBACK"); !status) {
    log(LogLevel::kWarning, "archive", "rollback failed: " + to_text(status.error()));
  }
}

}  // namespace

Result<std::vector<std::string>> texts(Statement& rows) {
  return read_rows(rows, [](const Statement& row) { return row.text(0); });
}

Transaction::~Transaction() {
  if (open_) {
    roll_back(connection_);
  }
}

Snapshot::~Snapshot() {
  if (open_) {
    roll_back(connection_);
  }
}

Status Snapshot::begin() {
  WS_CHECK(connection_.execute("BEGIN"));
  open_ = true;
  return {};
}

Status Transaction::begin() {
  WS_CHECK(connection_.execute("BEGIN IMMEDIATE"));
  open_ = true;
  return {};
}

Status Transaction::commit() {
  WS_CHECK(connection_.execute("COMMIT"));
  open_ = false;
  return {};
}

}  // namespace ws
