#include "runtime/session/shared_cache.h"

#include "runtime/base/log.h"

namespace ws {
namespace {

constexpr std::size_t kConnections = 2;
constexpr std::uint64_t kPutsBetweenTrims = 64;

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

}  // namespace

SharedCache::SharedCache(const std::string& url, std::shared_ptr<EntryPlace> large,
                         std::int64_t most_bytes)
    : connections_(url, kConnections),
      large_(std::move(large)),
      most_bytes_(most_bytes) {}

Result<std::optional<std::string>> SharedCache::find(const std::string& key) {
  WS_TRY(std::optional<std::string> row,
         connections_.use([&](Connection& connection) { return find_row(connection, key); }));
  if (row || large_ == nullptr) {
    return row;
  }
  auto found = large_->find(key);
  if (!found) {
    log(LogLevel::kWarning, "compile", to_text(found.error()));
    return std::nullopt;
  }
  return found;
}

Status SharedCache::put(const std::string& key, std::string_view bytes) {
  if (bytes.size() > kMostRowBytes) {
    if (const Status put = large_ ? large_->put(key, bytes) : Status(); !put) {
      log(LogLevel::kWarning, "compile", to_text(put.error()));
    }
    return {};
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
