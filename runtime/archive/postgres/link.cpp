#include "runtime/archive/postgres/link.h"

#include <algorithm>
#include <string_view>

namespace ws {
namespace {

constexpr const char* kAgain = "try again";
constexpr const char* kSeeServer =
    "see that the server runs and takes connections from here; the next call tries again";

struct StateRow {
  std::string_view state;  ///< SQLSTATE, or its first two characters: its class.
  ErrorCode error;
  const char* message;  ///< After "the archive `<name>` ".
  const char* hint;
};

constexpr StateRow kStates[] = {
    {"25006", ErrorCode::kIo, "cannot be written: the database is read-only",
     "name the primary server in --store, or let it be written again"},
    {"42501", ErrorCode::kIo, "is closed to this user",
     "let the user own the schema `warpsmith`, or GRANT CREATE ON DATABASE"},
    {"55P03", ErrorCode::kBusy, "is in use by another server", kAgain},
    {"40", ErrorCode::kBusy, "is in use by another server", kAgain},
    {"53100", ErrorCode::kIo, "cannot grow: the disk is full", "free some space"},
    {"53", ErrorCode::kBusy, "has no room for this call", kAgain},
};

constexpr std::string_view kLost[] = {"08", "57P"};

bool is_loss(std::string_view state) {
  return std::any_of(std::begin(kLost), std::end(kLost),
                     [&](std::string_view start) { return state.starts_with(start); });
}

/// libpq's messages have lines.
std::string in_one_line(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank || (!text.empty() && text.back() != ' ')) {
      text += blank ? ' ' : c;
    }
  }
  while (text.ends_with(' ')) {
    text.pop_back();
  }
  return text;
}

/// Settings that all statements of the archive count on.
constexpr const char* kSession =
    "SET search_path = warpsmith; SET lock_timeout = '10s'; "
    "SET idle_in_transaction_session_timeout = '60s'; SET bytea_output = hex; "
    "SET extra_float_digits = 1; SET standard_conforming_strings = on; SET TimeZone = 'UTC'; "
    "SET client_min_messages = warning; SET jit = off; SET cursor_tuple_fraction = 1";

}  // namespace

tl::unexpected<Error> Link::unreachable(std::string reason) const {
  const auto has = [&](const char* part) { return reason.find(part) != std::string::npos; };
  const std::string archive = "the archive `" + target_.name + "` ";
  if (has("password authentication failed") || has("no password supplied")) {
    return fail(ErrorCode::kIo, archive + "refuses this user",
                "put the right password into ~/.pgpass, or the file that PGPASSFILE names",
                std::move(reason));
  }
  if (has("too many clients") || has("connection slots are reserved") ||
      has("too many connections")) {
    return fail(ErrorCode::kBusy, archive + "has no free connection",
                "raise max_connections of the server, or start fewer servers of warpsmith",
                std::move(reason));
  }
  return fail(ErrorCode::kIo, archive + "cannot be reached", kSeeServer, std::move(reason));
}

Status Link::connect() {
  if (!lost_) {
    return {};
  }
  // A machine that vanishes is noticed within a minute. Values of the URL replace those before it.
  constexpr const char* kNames[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
                                    "keepalives_count", "tcp_user_timeout", "dbname",
                                    "client_encoding",  "application_name", nullptr};
  const char* const values[] = {"5",    "30",        "10",   "3", "60000", target_.url.c_str(),
                                "UTF8", "warpsmith", nullptr};
  connection_.reset(PQconnectdbParams(kNames, values, 1));
  if (connection_ == nullptr || PQstatus(connection_.get()) != CONNECTION_OK) {
    return unreachable(in_one_line(PQerrorMessage(connection_.get())));
  }
  PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
  lost_ = false;
  ++generation_;
  const Result<Rows> set = run(kSession);
  lost_ = lost_ || !set;  // No statement is to run without these settings.
  return set ? Status() : fail(set.error());
}

Error Link::lost_with(std::string source) {
  lost_ = true;
  return {ErrorCode::kIo, "the archive `" + target_.name + "` was lost in the middle of a call",
          kSeeServer, std::move(source)};
}

Error Link::loss(const char* call) {
  return lost_with(std::string(call) + ": " + in_one_line(PQerrorMessage(connection_.get())));
}

Result<Rows> Link::checked(Rows rows, const char* call) {
  const ExecStatusType status = PQresultStatus(rows.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
    return rows;
  }
  const char* const field = PQresultErrorField(rows.get(), PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  const char* const primary = PQresultErrorField(rows.get(), PG_DIAG_MESSAGE_PRIMARY);
  std::string source =
      std::string(call) + ": " +
      in_one_line(primary == nullptr ? PQerrorMessage(connection_.get()) : primary);
  // An error without a state is libpq's own: it could not write or read.
  if (PQstatus(connection_.get()) != CONNECTION_OK || state.empty() || is_loss(state)) {
    return fail(lost_with(std::move(source)));
  }
  for (const StateRow& row : kStates) {
    if (state.starts_with(row.state)) {
      return fail(row.error, "the archive `" + target_.name + "` " + row.message, row.hint,
                  std::move(source));
    }
  }
  return fail(ErrorCode::kIo, "the archive `" + target_.name + "` cannot be used", "",
              std::move(source));
}

Result<std::vector<Rows>> Link::run_together(std::size_t count,
                                             const std::function<int(PGconn*, std::size_t)>& send) {
  constexpr const char* kCall = "PQsendQueryPrepared";
  PGconn* const connection = connection_.get();
  bool sent = PQenterPipelineMode(connection) == 1;
  for (std::size_t i = 0; sent && i < count; ++i) {
    sent = send(connection, i) == 1;
  }
  if (!sent || PQpipelineSync(connection) != 1) {
    return fail(loss(kCall));
  }
  std::vector<Rows> all;
  Status status;
  for (std::size_t i = 0; i < count && status; ++i) {
    Result<Rows> rows = checked(Rows(PQgetResult(connection)), kCall);
    status = rows ? Status() : fail(rows.error());
    all.push_back(rows ? *std::move(rows) : nullptr);
    PQgetResult(connection);  // Null: the end of its results.
  }
  // Results follow that say what was not run, up to the end of the message.
  while (!lost_ && PQexitPipelineMode(connection) != 1) {
    Rows rest(PQgetResult(connection));
    if (rest == nullptr && PQstatus(connection) != CONNECTION_OK) {
      return fail(loss(kCall));
    }
  }
  if (!status) {
    return fail(status.error());
  }
  return all;
}

Result<Rows> Link::run(const std::string& sql) {
  return checked(Rows(PQexec(connection_.get(), sql.c_str())), "PQexec");
}

}  // namespace ws
