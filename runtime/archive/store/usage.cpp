#include "runtime/archive/store/usage.h"

#include <utility>

#include "runtime/archive/store/shared_connection.h"
#include "runtime/archive/store/store.h"
#include "runtime/base/clock.h"

namespace ws {
namespace {

std::uint64_t bytes_of_file(const std::filesystem::path& file) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(file, missing);
  return missing ? 0 : size;
}

/// An index leads to the highest row number: no rows are counted.
Result<std::int64_t> highest(Connection& connection, const char* sql) {
  WS_TRY(Statement row, connection.prepare(sql));
  WS_CHECK(row.step());
  return row.integer(0);
}

}  // namespace

ArchiveUsage::ArchiveUsage(ArchivePlace place, std::unique_ptr<SharedConnection> connection)
    : place_(std::move(place)),
      connection_(std::move(connection)) {}

ArchiveUsage::~ArchiveUsage() = default;

Result<std::unique_ptr<ArchiveUsage>> ArchiveUsage::open(const ArchivePlace& place) {
  WS_TRY(auto connection, SharedConnection::open(place));
  return std::unique_ptr<ArchiveUsage>(new ArchiveUsage(place, std::move(connection)));
}

Result<ArchiveNumbers> ArchiveUsage::numbers() {
  return connection_->use([&](Connection& connection) -> Result<ArchiveNumbers> {
    ArchiveNumbers numbers;
    if (connection.is_postgres()) {
      WS_TRY(const std::int64_t bytes,
             highest(connection, "SELECT pg_database_size(current_database())"));
      numbers.file_bytes = static_cast<std::uint64_t>(bytes);
    } else {
      numbers.file_bytes = bytes_of_file(place_.folder / "archive.db");
      numbers.log_bytes = bytes_of_file(place_.folder / "archive.db-wal");
    }
    WS_TRY(numbers.problems, highest(connection, "SELECT coalesce(max(rowid), 0) FROM problems"));
    WS_TRY(numbers.kernels, highest(connection, "SELECT coalesce(max(rowid), 0) FROM kernels"));
    WS_TRY(numbers.evidence, highest(connection, "SELECT coalesce(max(seq), 0) FROM evidence"));
    return numbers;
  });
}

Result<std::vector<OwnerBytes>> ArchiveUsage::owners(int most) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<OwnerBytes>> {
    WS_TRY(Statement rows, connection.prepare("SELECT owner, bytes FROM owner_bytes WHERE owner "
                                              "<> '' ORDER BY bytes DESC LIMIT ?"));
    return read_rows(rows.bind(most), [](const Statement& row) {
      return OwnerBytes{.owner = row.text(0), .bytes = row.integer(1)};
    });
  });
}

Result<std::uint64_t> ArchiveUsage::garbage_of_others(const GarbageRules& rules) {
  return connection_->use(
      [&](Connection& connection) { return store::garbage_of_others(connection, rules); });
}

Status ArchiveUsage::try_write() {
  return connection_->use([&](Connection& connection) -> Status {
    WS_TRY(Statement write,
           connection.prepare("INSERT INTO settings(key, value) VALUES('written_at', ?) "
                              "ON CONFLICT(key) DO UPDATE SET value = excluded.value"));
    return write.bind(std::to_string(unix_ms())).run();
  });
}

Result<std::vector<JobRow>> ArchiveUsage::jobs(int most) {
  return connection_->use([&](Connection& connection) -> Result<std::vector<JobRow>> {
    WS_TRY(Statement rows,
           connection.prepare("SELECT id, tool, status, created_at, updated_ms, instance, resumed "
                              "FROM jobs ORDER BY updated_ms DESC, id LIMIT ?"));
    return read_rows(rows.bind(most), [](const Statement& row) {
      return JobRow{.id = row.text(0),
                    .tool = row.text(1),
                    .status = row.text(2),
                    .json = {},
                    .created_at = row.text(3),
                    .updated_ms = row.integer(4),
                    .instance = row.text(5),
                    .arguments = {},
                    .resumed = row.integer(6)};
    });
  });
}

}  // namespace ws
