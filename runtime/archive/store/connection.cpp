#include "runtime/archive/store/sqlite.h"
#include "runtime/archive/store/sqlite_engine.h"
#include "runtime/base/log.h"

namespace ws {

std::unique_ptr<StatementEngine> StatementCache::take(const std::string& sql) {
  const auto found = idle_.find(sql);
  if (found == idle_.end()) {
    return nullptr;
  }
  std::unique_ptr<StatementEngine> statement = std::move(found->second);
  idle_.erase(found);
  return statement;
}

void StatementCache::give_back(std::string sql, std::unique_ptr<StatementEngine> statement) {
  constexpr std::size_t kMost = 256;  // There are fewer texts than that.
  if (idle_.size() < kMost) {
    statement->clear();  // A bound text may be megabytes long.
    idle_.emplace(std::move(sql), std::move(statement));
  }
}

Statement::~Statement() {
  if (engine_ != nullptr) {
    cache_->give_back(std::move(sql_), std::move(engine_));
  }
}

Statement& Statement::bind(std::string_view text) {
  engine_->bind_text(++bound_, text);
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  engine_->bind_integer(++bound_, value);
  return *this;
}

Statement& Statement::bind_real(double value) {
  engine_->bind_real(++bound_, value);
  return *this;
}

Statement& Statement::bind_null() {
  engine_->bind_null(++bound_);
  return *this;
}

Statement& Statement::bind_blob(const void* bytes, std::size_t size) {
  engine_->bind_blob(++bound_, bytes, size);
  return *this;
}

Statement& Statement::reset() {
  engine_->reset();
  bound_ = 0;
  return *this;
}

Statement& Statement::queue_run() {
  engine_->queue_run();
  bound_ = 0;
  return *this;
}

Status Statement::next_run() {
  return engine_->next_run();
}

Result<std::int64_t> Statement::next_inserted(const char* number) {
  return engine_->next_inserted(number);
}

Result<bool> Statement::step() {
  return engine_->step();
}

Status Statement::run() {
  WS_TRY([[maybe_unused]] const bool row, step());
  return {};
}

Result<std::int64_t> Statement::insert(const char* number) {
  return engine_->insert(number);
}

std::string Statement::text(int column) const {
  return engine_->text(column);
}

std::int64_t Statement::integer(int column) const {
  return engine_->integer(column);
}

std::optional<double> Statement::real(int column) const {
  return engine_->real(column);
}

Connection::Connection(std::unique_ptr<ConnectionEngine> engine)
    : engine_(std::move(engine)) {}

Connection::Connection(std::unique_ptr<SqliteConnection> file)
    : file_(file.get()) {
  engine_ = std::move(file);
}

Result<Connection> Connection::open(const std::string& path, bool read_only) {
  WS_TRY(auto file, SqliteConnection::open(path, read_only));
  return Connection(std::move(file));
}

Result<Statement> Connection::prepare(std::string_view sql) {
  std::string text(sql);
  std::unique_ptr<StatementEngine> statement = cache_->take(text);
  if (statement == nullptr) {
    WS_TRY(statement, engine_->prepare(text));
  }
  return Statement(std::move(text), std::move(statement), cache_);
}

Status Connection::execute(const std::string& sql) {
  return engine_->execute(sql);
}

int Connection::changes() const {
  return engine_->changes();
}

std::int64_t Connection::total_changes() const {
  return engine_->total_changes();
}

Status Connection::copy_to(
    Connection& target,
    const std::function<void(std::int64_t done, std::int64_t pages)>& progress) {
  return file_->copy_to(*target.file_, progress);
}

void Connection::write_back_at(int log_pages) {
  file_->write_back_at(log_pages);
}

int Connection::log_pages() const {
  return file_->log_pages();
}

namespace {

/// For destructors, which cannot report.
void roll_back(Connection& connection) {
  if (const Status status = connection.engine().roll_back(); !status) {
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
  WS_CHECK(connection_.engine().begin_read());
  open_ = true;
  return {};
}

Status Transaction::begin() {
  WS_CHECK(connection_.engine().begin_write());
  open_ = true;
  return {};
}

Status Transaction::commit() {
  WS_CHECK(connection_.engine().commit());
  open_ = false;
  return {};
}

}  // namespace ws
