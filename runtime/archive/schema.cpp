#include "runtime/archive/schema.h"

#include <array>
#include <string>

namespace ws {
namespace {

// Step i brings version i to i + 1. Never change a step that was released: add one.
constexpr std::array<const char*, 1> kMigrations = {R"sql(
CREATE TABLE problems (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, json TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE TABLE kernels (
  id TEXT PRIMARY KEY, name TEXT NOT NULL,
  problem_id TEXT NOT NULL REFERENCES problems(id),
  parent TEXT REFERENCES kernels(id),
  json TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT;
CREATE INDEX kernels_by_parent ON kernels(parent);
CREATE INDEX kernels_by_problem ON kernels(problem_id);
CREATE TABLE refs (
  name TEXT PRIMARY KEY, kernel_id TEXT NOT NULL REFERENCES kernels(id), updated_at TEXT NOT NULL
) STRICT;
CREATE TABLE evidence (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  kernel_id TEXT NOT NULL REFERENCES kernels(id), problem_id TEXT NOT NULL,
  device TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, verdict TEXT NOT NULL,
  json TEXT NOT NULL, created_at TEXT NOT NULL, created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX evidence_by_kernel ON evidence(kernel_id, device, kind, key, seq);
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, tool TEXT NOT NULL, status TEXT NOT NULL, json TEXT NOT NULL,
  created_at TEXT NOT NULL, updated_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_by_time ON jobs(status, updated_ms);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
)sql"};

Result<int> number(Connection& connection, std::string_view sql) {
  WS_TRY(Statement statement, connection.prepare(sql));
  WS_TRY([[maybe_unused]] const bool row, statement.step());
  return static_cast<int>(statement.integer(0));
}

Result<int> version_of(Connection& connection) {
  return number(connection, "PRAGMA user_version");
}

}  // namespace

int archive_version() {
  return static_cast<int>(kMigrations.size());
}

Status migrate(Connection& connection) {
  WS_TRY(const int found, version_of(connection));
  if (found == archive_version()) {
    return {};
  }
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  // Read again under the write lock: another process may have been faster.
  WS_TRY(const int version, version_of(connection));
  if (version > archive_version()) {
    return fail(ErrorCode::kIo,
                "the archive has version " + std::to_string(version) +
                    ", this program knows up to " + std::to_string(archive_version()),
                "use the newer warpsmith, or another folder with --data");
  }
  WS_TRY(const int tables, number(connection, "SELECT count(*) FROM sqlite_schema"));
  if (version == 0 && tables > 0) {
    return fail(ErrorCode::kIo, "the file archive.db is another program's database",
                "choose another folder with --data DIR");
  }
  for (auto step = static_cast<std::size_t>(version); step < kMigrations.size(); ++step) {
    WS_CHECK(connection.execute(kMigrations[step]));
  }
  WS_CHECK(connection.execute("PRAGMA user_version = " + std::to_string(archive_version())));
  return transaction.commit();
}

}  // namespace ws
