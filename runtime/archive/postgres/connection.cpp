#include "runtime/archive/postgres/connection.h"

#include <cstdlib>
#include <string_view>

#include "runtime/archive/postgres/statement.h"

namespace ws {
namespace {

/// The number of the advisory lock that writers take: any that other programs are unlikely to take
/// in the same database.
constexpr const char* kWriters = "131421187531880";

/// Rows that a statement changed; 0 of one that only reads.
int changed_by(PGresult* rows) {
  const std::string_view command = PQcmdStatus(rows);
  return command.starts_with("SELECT") ? 0 : std::atoi(PQcmdTuples(rows));
}

}  // namespace

Result<std::unique_ptr<ConnectionEngine>> PostgresConnection::open(const PostgresTarget& target) {
  std::unique_ptr<PostgresConnection> connection(new PostgresConnection(target));
  WS_CHECK(connection->link_.connect());
  return connection;
}

template <typename Body>
auto PostgresConnection::with_link(const Body& body) -> decltype(body()) {
  if (in_transaction_) {
    return body();  // A lost transaction is not begun again half-way.
  }
  WS_CHECK(link_.connect());
  auto rows = body();
  if (!rows && link_.is_lost()) {
    WS_CHECK(link_.connect());
    rows = body();
  }
  return rows;
}

Result<std::unique_ptr<StatementEngine>> PostgresConnection::prepare(const std::string& sql) {
  return std::make_unique<PostgresStatement>(*this, sql);
}

Result<Rows> PostgresConnection::run(PostgresStatement& statement) {
  WS_TRY(Rows rows, with_link([&] { return statement.execute(link_); }));
  changes_ = changed_by(rows.get());
  total_changes_ += changes_;
  return rows;
}

Result<std::vector<Rows>> PostgresConnection::run_queued(PostgresStatement& statement) {
  WS_TRY(std::vector<Rows> all, with_link([&] { return statement.execute_queued(link_); }));
  for (const Rows& rows : all) {
    changes_ = changed_by(rows.get());
    total_changes_ += changes_;
  }
  return all;
}

Result<Rows> PostgresConnection::query(const std::string& sql) {
  return with_link([&] { return link_.run(sql); });
}

Status PostgresConnection::execute(const std::string& sql) {
  WS_TRY([[maybe_unused]] const Rows rows, query(sql));
  return {};
}

Status PostgresConnection::begin(const std::string& sql) {
  const Result<Rows> begun = query(sql);
  in_transaction_ = true;
  if (!begun) {
    WS_CHECK(roll_back());
    return fail(begun.error());
  }
  return {};
}

Status PostgresConnection::begin_write() {
  reads_ = false;
  // Each statement sees what was written before the lock was given.
  return begin(std::string("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(") +
               kWriters + ")");
}

Status PostgresConnection::begin_read() {
  reads_ = true;
  // Reads may pause for longer than a write: their rows are worked on, or go into a slow pipe.
  return begin(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL idle_in_transaction_session_timeout = "
      "'1h'");
}

Status PostgresConnection::commit() {
  Result<Rows> done = link_.run("COMMIT");
  in_transaction_ = false;
  if (!done && link_.is_lost()) {
    Error error = done.error();
    error.message += "; whether the write was kept is not known";
    return fail(std::move(error));
  }
  if (done && std::string_view(PQcmdStatus(done->get())) == "ROLLBACK") {
    return fail(ErrorCode::kIo,
                "the archive `" + link_.target().name + "` kept nothing: a statement failed");
  }
  return done ? Status() : fail(done.error());
}

Status PostgresConnection::roll_back() {
  if (!in_transaction_) {
    return {};  // The commit ended it.
  }
  in_transaction_ = false;
  if (link_.is_lost() || PQtransactionStatus(link_.get()) == PQTRANS_IDLE) {
    return {};
  }
  WS_TRY([[maybe_unused]] const Rows rows, link_.run("ROLLBACK"));
  return {};
}

void PostgresConnection::forget(const std::string& name, std::int64_t generation) {
  if (!link_.is_lost() && generation == link_.generation() &&
      PQtransactionStatus(link_.get()) != PQTRANS_INERROR) {
    const Rows ignored(PQexec(link_.get(), ("DEALLOCATE " + name).c_str()));
  }
}

}  // namespace ws

extern "C" void warpsmith_postgres_connect(const ws::PostgresTarget& target,
                                           std::unique_ptr<ws::ConnectionEngine>& connection,
                                           ws::Error& error) {
  ws::Result<std::unique_ptr<ws::ConnectionEngine>> opened = ws::PostgresConnection::open(target);
  if (opened) {
    connection = *std::move(opened);
  } else {
    error = opened.error();
  }
}
