#include "runtime/session/shared_cache.h"

#include "runtime/base/files.h"
#include "runtime/compile/store_file.h"

namespace ws {
namespace {

constexpr std::size_t kConnections = 2;
constexpr std::uint64_t kPutsBetweenTrims = 64;

/// A note of a use is a write: one a day is enough to know which entries nobody uses.
constexpr const char* kNoteUse =
    "UPDATE shared_entries SET used_at = now() WHERE key = ? AND used_at < now() - interval '1 "
    "day'";

constexpr const char* kTrim = R"sql(
  DELETE FROM shared_entries WHERE key IN (
    SELECT key FROM (
      SELECT key, sum(length(bytes)) OVER (ORDER BY used_at DESC, key) AS until
      FROM shared_entries) newest
    WHERE until > ?))sql";

Result<std::optional<std::string>> find_row(Connection& connection, const std::string& key) {
  WS_TRY(Statement row, connection.prepare("SELECT bytes FROM shared_entries WHERE key = ?"));
  row.bind(key);
  WS_TRY(const bool found, row.step());
  if (!found) {
    return std::nullopt;
  }
  std::optional<std::string> bytes = row.text(0);
  WS_TRY(Statement use, connection.prepare(kNoteUse));
  WS_CHECK(use.bind(key).run());
  return bytes;
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
  WS_TRY(std::string bytes, read_file(path));
  return bytes;
}

Status SharedCache::put(const std::string& key, std::string_view bytes) {
  if (bytes.size() > kMostRowBytes) {
    return folder_.empty() ? Status() : write_entry(entry_path(folder_, key), bytes);
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
