#include "runtime/archive/move/move_ends.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/archive/move/move_mark.h"
#include "runtime/archive/store/archive_file.h"
#include "runtime/archive/store/archive_folder.h"
#include "runtime/archive/store/archive_start.h"
#include "runtime/archive/store/live_servers.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/upgrade.h"

namespace ws::store {
namespace {

constexpr const char* kStopSource =
    "stop it first; with --force what it has stored by now is moved, and nothing after that";
constexpr const char* kStopTarget = "stop it first";

/// The server that uses an archive, in words; empty: none does.
std::string user_of_folder(const std::filesystem::path& folder) {
  const std::vector<pid_t> servers = live_servers(folder);
  return servers.empty() ? std::string() : "a server, process " + std::to_string(servers.front());
}

/// The same in a database. A node has the lease of a server, too.
Result<std::string> user_of_database(Connection& connection) {
  WS_TRY(
      Statement user,
      connection.prepare("SELECT 'the node ' || name || ' on ' || host FROM nodes WHERE lives AND "
                         "seen_at > clock_timestamp() - interval '30 seconds' UNION ALL "
                         "SELECT 'a server, ' || id || ' in the table of instances' FROM instances "
                         "WHERE seen_at > clock_timestamp() - interval '30 seconds' LIMIT 1"));
  WS_TRY([[maybe_unused]] const bool found, user.step());
  return user.text(0);
}

Status check_unused(const std::string& user, const std::string& name, const char* hint) {
  return user.empty()
             ? Status()
             : fail(ErrorCode::kBusy, "the archive in `" + name + "` is in use by " + user, hint);
}

/// A folder has no queue of nodes.
Status check_node_jobs(Connection& connection, const std::string& name) {
  WS_TRY(Statement row, connection.prepare("SELECT count(*) FROM node_jobs "
                                           "WHERE status IN ('queued', 'running')"));
  WS_TRY([[maybe_unused]] const bool found, row.step());
  const std::int64_t jobs = row.integer(0);
  return jobs == 0 ? Status()
                   : fail(ErrorCode::kBusy,
                          std::to_string(jobs) + " jobs of nodes have not ended in `" + name + "`",
                          "let nodes finish them; with --force they are not moved");
}

Result<MoveEnd> open_source_folder(const std::filesystem::path& folder, bool force) {
  WS_TRY(const UpgradePlan plan, plan_upgrade(folder));
  if (!plan.steps.empty()) {
    return fail(ErrorCode::kIo,
                "the archive in `" + folder.string() + "` has version " +
                    std::to_string(plan.from) + ", and only version " + std::to_string(plan.to) +
                    " can be moved",
                "bring it up to date by `warpsmith archive migrate`");
  }
  WS_TRY(ArchiveLock lock, ArchiveLock::share(folder));
  if (!force) {
    WS_CHECK(check_unused(user_of_folder(folder), folder.string(), kStopSource));
  }
  // Not read-only: a transaction that was killed may have to be undone first.
  WS_TRY(Connection connection, Connection::open((folder / kArchiveFile).string(), false));
  std::error_code error;  // A try that goes on knows its source by the whole path.
  const std::filesystem::path whole = std::filesystem::canonical(folder, error);
  return MoveEnd{folder, error ? folder.string() : whole.string(), std::move(lock),
                 std::move(connection)};
}

Result<MoveEnd> open_source_database(const std::string& url, bool force) {
  WS_TRY(const std::string name, store_name(url));
  WS_TRY(Connection connection, open_postgres(url));
  WS_CHECK(check_postgres_tables(connection, name));
  if (!force) {
    WS_TRY(const std::string user, user_of_database(connection));
    WS_CHECK(check_unused(user, name, kStopSource));
    WS_CHECK(check_node_jobs(connection, name));
  }
  return MoveEnd{ArchivePlace({}, url), name, {}, std::move(connection)};
}

/// A new or an empty folder, or one that servers had for their data.
Status check_target_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder, error);
  if (is_folder ? std::filesystem::is_empty(folder, error)
                : !std::filesystem::exists(folder, error)) {
    return {};
  }
  for (const char* part : {kArchiveFile, "archive.lock", "instances"}) {
    if (std::filesystem::exists(folder / part, error)) {
      return {};
    }
  }
  return fail(ErrorCode::kConflict,
              "`" + folder.string() + "` is there, and is no data folder of warpsmith",
              "name a new or an empty folder by --to");
}

Result<MoveEnd> open_target_folder(const std::filesystem::path& folder) {
  WS_CHECK(check_target_folder(folder));
  WS_CHECK(check_unused(user_of_folder(folder), folder.string(), kStopTarget));
  WS_TRY(ArchiveLock lock, start_archive(folder));
  WS_TRY(Connection connection, open_writer(folder / kArchiveFile, lock));
  lock.note_tables(true);
  return MoveEnd{folder, folder.string(), std::move(lock), std::move(connection)};
}

Result<MoveEnd> open_target_database(const std::string& url) {
  WS_TRY(const std::string name, store_name(url));
  WS_TRY(Connection connection, open_postgres(url));
  WS_CHECK(make_postgres_tables(connection, name));
  MoveEnd target{ArchivePlace({}, url), name, {}, std::move(connection)};
  WS_CHECK(check_target_unused(target));
  return target;
}

}  // namespace

Result<std::string> user_of(MoveEnd& end) {
  return end.place.store.empty() ? user_of_folder(end.place.folder)
                                 : user_of_database(end.connection);
}

Status check_target_unused(MoveEnd& target) {
  WS_TRY(const std::string user, user_of(target));
  return check_unused(user, target.name, kStopTarget);
}

Result<MoveEnd> open_move_source(const ArchivePlace& place, bool force) {
  WS_TRY(MoveEnd source, place.store.empty() ? open_source_folder(place.folder, force)
                                             : open_source_database(place.store, force));
  WS_CHECK(check_not_half_moved(source.connection, source.name));
  return source;
}

Result<MoveEnd> open_move_target(const ArchivePlace& place) {
  return place.store.empty() ? open_target_folder(place.folder) : open_target_database(place.store);
}

}  // namespace ws::store
