#include "runtime/session/shared_cache.h"

#include "runtime/base/files.h"
#include "runtime/base/log.h"
#include "runtime/compile/store_file.h"
#include "runtime/compile/store_folder.h"

namespace ws {
namespace {

constexpr std::size_t kConnections = 2;
constexpr std::uint64_t kPutsBetweenTrims = 64;
constexpr std::uint64_t kFilesBetweenTrims = 16;

/// Somebody else may have written a longer one.
constexpr const char* kFind =
    "SELECT bytes FROM shared_entries WHERE key = ? AND length(bytes) <= ?";

/// A note of a use is a write: one a day is enough to know which entries nobody uses. Nobody waits
/// for it.
constexpr const char* kNoteUse = R"sql(
  UPDATE shared_entries SET used_at = now() WHERE key IN (
    SELECT key FROM shared_entries WHERE key = ? AND used_at < now() - interval '1 day'
    FOR UPDATE SKIP LOCKED))sql";

constexpr const char* kTrim = R"sql(
  DELETE FROM shared_entries WHERE key IN (
    SELECT key FROM (
      SELECT key, sum(length(bytes)) OVER (ORDER BY used_at DESC, key) AS until
      FROM shared_entries) newest
    WHERE until > ?))sql";

Result<std::optional<std::string>> find_row(Connection& connection, const std::string& key) {
  WS_TRY(Statement row, connection.prepare(kFind));
  row.bind(key).bind(static_cast<std::int64_t>(SharedCache::kMostRowBytes));
  WS_TRY(const bool found, row.step());
  if (!found) {
    return std::nullopt;
  }
  std::optional<std::string> bytes = row.text(0);
  Result<Statement> use = connection.prepare(kNoteUse);
  if (const Status noted = use ? use->bind(key).run() : fail(use.error()); !noted) {
    log(LogLevel::kWarning, "compile", to_text(noted.error()));
  }
  return bytes;
}

Status trim_folder(const std::filesystem::path& folder, std::int64_t most_bytes) {
  WS_TRY([[maybe_unused]] const StoreUsage left,
         trim_store(folder, static_cast<std::uint64_t>(most_bytes)));
  return {};
}

}  // namespace

SharedCache::SharedCache(const std::string& url, std::filesystem::path folder,
                         std::int64_t most_bytes)
    : connections_(url, kConnections),
      folder_(std::move(folder)),
      most_bytes_(most_bytes) {}

Result<std::optional<std::string>> SharedCache::find(const std::string& key) {
  WS_TRY(std::optional<std::string> row,
         connections_.use([&](Connection& connection) { return find_row(connection, key); }));
  std::error_code ignored;
  const std::filesystem::path path = entry_path(folder_, key);
  if (row || folder_.empty() || !std::filesystem::exists(path, ignored)) {
    return row;
  }
  // Another machine may have deleted it meanwhile.
  Result<std::string> bytes = read_file(path);
  if (!bytes) {
    log(LogLevel::kWarning, "compile", to_text(bytes.error()));
    return std::nullopt;
  }
  return *std::move(bytes);
}

Status SharedCache::put(const std::string& key, std::string_view bytes) {
  if (bytes.size() > kMostRowBytes) {
    if (folder_.empty()) {
      return {};
    }
    WS_CHECK(write_entry(entry_path(folder_, key), bytes));
    return ++puts_ % kFilesBetweenTrims == 0 ? trim_folder(folder_, most_bytes_) : Status();
  }
  return connections_.use([&](Connection& connection) -> Status {
    WS_TRY(
        Statement put,
        connection.prepare("INSERT INTO shared_entries(key, bytes) VALUES(?, ?) ON CONFLICT(key) "
                           "DO UPDATE SET bytes = excluded.bytes, used_at = excluded.used_at"));
    put.bind(key).bind_blob(bytes.data(), bytes.size());
    WS_CHECK(put.run());
    return ++puts_ % kPutsBetweenTrims == 0 ? trim(connection) : Status();
  });
}

Status SharedCache::trim(Connection& connection) {
  WS_TRY(Statement oldest, connection.prepare(kTrim));
  return oldest.bind(most_bytes_).run();
}

}  // namespace ws
