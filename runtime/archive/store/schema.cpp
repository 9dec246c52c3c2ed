#include "runtime/archive/store/schema.h"

#include <string>
#include <system_error>

#include "runtime/archive/search/search_index.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/backup.h"
#include "runtime/archive/store/migrations.h"
#include "runtime/archive/store/upgrade.h"

namespace ws {
namespace {

Result<int> number(Connection& connection, std::string_view sql) {
  WS_TRY(Statement statement, connection.prepare(sql));
  WS_TRY([[maybe_unused]] const bool row, statement.step());
  return static_cast<int>(statement.integer(0));
}

Result<int> version_of(Connection& connection) {
  return number(connection, "PRAGMA user_version");
}

std::filesystem::path backup_name(const std::filesystem::path& file, int version) {
  return file.string() + ".version-" + std::to_string(version);
}

/// Removes the copies that earlier upgrades made.
void remove_older_backups(const std::filesystem::path& file, const std::filesystem::path& newest) {
  std::error_code error;
  for (int version = 1; version < archive_version(); ++version) {
    if (const auto name = backup_name(file, version); name != newest) {
      std::filesystem::remove(name, error);  // One that stays costs space and nothing else.
    }
  }
}

/// Copies the archive as it is under the caller's write lock, by a connection of its own: SQLite
/// does not copy out of a connection that writes.
Status back_up(const std::filesystem::path& file, int version) {
  WS_TRY(Connection reader, Connection::open(file.string(), true));
  const std::filesystem::path name = backup_name(file, version);
  if (Result<BackupReport> made = write_backup(reader, name); !made) {
    Error error = made.error();
    error.message = "the archive must be upgraded, but cannot be copied first: " + error.message;
    return tl::unexpected(std::move(error));
  }
  remove_older_backups(file, name);
  return {};
}

Status check_known(int version) {
  if (version <= archive_version()) {
    return {};
  }
  return fail(ErrorCode::kIo,
              "the archive has version " + std::to_string(version) + ", this program knows up to " +
                  std::to_string(archive_version()),
              "use the newer warpsmith, or another folder with --data");
}

/// @param version  The version of the tables now.
Status apply_steps(Connection& connection, int version) {
  bool empty_index = false;
  for (auto step = static_cast<std::size_t>(version); step < migrations().size(); ++step) {
    WS_CHECK(connection.execute(migrations()[step].sql));
    empty_index = empty_index || migrations()[step].empties_index;
  }
  WS_TRY(const int set_aside, number(connection,
                                     "SELECT EXISTS(SELECT 1 FROM evidence "
                                     "WHERE kind GLOB 'lost_*')"));
  // Only the step that sets them aside changes what the index says of them.
  constexpr int kSetsAside = 11;
  if (empty_index || (set_aside > 0 && version < kSetsAside)) {
    WS_CHECK(store::rebuild_index(connection));
  }
  return {};
}

}  // namespace

int archive_version() {
  return static_cast<int>(migrations().size());
}

Status check_version(Connection& connection) {
  WS_TRY(const int version, version_of(connection));
  if (version == 0) {
    return fail(ErrorCode::kIo, "there are no tables of an archive in it",
                "copy archives by `warpsmith archive backup FILE`: archive.db alone lacks what is "
                "in archive.db-wal");
  }
  return check_known(version);
}

Result<UpgradePlan> plan_upgrade(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kArchiveFile;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    return fail(ErrorCode::kNotFound, "there is no archive in `" + folder.string() + "`",
                "name its folder by --data DIR");
  }
  WS_TRY(Connection connection, Connection::open(file.string(), true));
  WS_CHECK(check_version(connection));
  UpgradePlan plan;
  WS_TRY(plan.from, version_of(connection));
  plan.to = archive_version();
  for (auto step = static_cast<std::size_t>(plan.from); step < migrations().size(); ++step) {
    plan.steps.emplace_back(migrations()[step].what);
    plan.rebuilds_index = plan.rebuilds_index || migrations()[step].empties_index;
  }
  plan.backup = plan.steps.empty() ? std::filesystem::path() : backup_name(file, plan.from);
  return plan;
}

Status migrate(Connection& connection, const std::filesystem::path& file) {
  WS_TRY(const int found, version_of(connection));
  if (found == archive_version()) {
    return {};
  }
  Transaction transaction(connection);
  WS_CHECK(transaction.begin());
  // Read again under the write lock: another process may have been faster.
  WS_TRY(const int version, version_of(connection));
  WS_CHECK(check_known(version));
  WS_TRY(const int tables, number(connection, "SELECT count(*) FROM sqlite_schema"));
  if (version == 0 && tables > 0) {
    return fail(ErrorCode::kIo, "the file archive.db is another program's database",
                "choose another folder with --data DIR");
  }
  if (version > 0 && version < archive_version()) {
    WS_CHECK(back_up(file, version));
  }
  WS_CHECK(apply_steps(connection, version));
  WS_CHECK(connection.execute("PRAGMA user_version = " + std::to_string(archive_version())));
  return transaction.commit();
}

}  // namespace ws
