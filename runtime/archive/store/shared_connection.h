// A further connection to an archive's database, for a part of the store that must not wait for the
// others.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/postgres_store.h"
#include "runtime/archive/store/sqlite.h"

namespace ws {

class SharedConnection {
 public:
  /// The archive of the place must have been opened: it makes the tables. @errors kIo; as
  /// open_postgres().
  static Result<std::unique_ptr<SharedConnection>> open(const ArchivePlace& place) {
    if (!place.store.empty()) {
      WS_TRY(Connection database, open_postgres(place.store));
      return std::make_unique<SharedConnection>(std::move(database));
    }
    WS_TRY(Connection connection, Connection::open((place.folder / "archive.db").string(), false));
    WS_CHECK(connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"));
    return std::make_unique<SharedConnection>(std::move(connection));
  }

  explicit SharedConnection(Connection connection)
      : connection_(std::move(connection)) {}

  /// Calls body(connection), for one thread after the other. Any thread.
  template <typename Body>
  auto use(const Body& body) {
    const std::lock_guard lock(mutex_);
    return body(connection_);
  }

 private:
  std::mutex mutex_;
  Connection connection_;  // guarded by mutex_
};

}  // namespace ws
