// Entries of the compile cache in the database of a store, and large ones beside it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/broker/connection_pool.h"
#include "runtime/compile/shared_entries.h"

namespace ws {

struct SharedCacheOptions {
  std::string secret;  ///< At least kLeastSecret bytes, the same for all who share.
  /// For entries of more than SharedCache::kMostRowBytes; null: they stay here.
  std::shared_ptr<EntryPlace> large = nullptr;
};

/// Any thread.
class SharedCache : public EntryPlace {
 public:
  static constexpr std::size_t kMostRowBytes = std::size_t{1} << 20U;
  /// The limit of all rows together: those that were used longest ago go first.
  static constexpr std::int64_t kMostBytes = std::int64_t{4} << 30U;

  /// @param url    As ArchivePlace::store.
  /// @param large  As SharedCacheOptions has it. Its errors are logged: the rows serve on.
  SharedCache(const std::string& url, std::shared_ptr<EntryPlace> large,
              std::int64_t most_bytes = kMostBytes);

  Result<std::optional<std::string>> find(const std::string& key) override;
  Status put(const std::string& key, std::string_view bytes) override;

 private:
  Status trim(Connection& connection);

  ConnectionPool connections_;
  const std::shared_ptr<EntryPlace> large_;
  const std::int64_t most_bytes_;
  std::uint64_t puts_ = 0;  ///< Only the cache's writing thread uses it.
};

}  // namespace ws
