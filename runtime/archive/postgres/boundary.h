// The boundary of libwarpsmith_postgres.so, which is loaded where an archive is in a PostgreSQL
// database: libpq needs libraries of its own, which the program does not.
#pragma once

#include <memory>
#include <string>

#include "runtime/archive/store/engine.h"
#include "runtime/archive/store/notices.h"

namespace ws {

inline constexpr const char* kPostgresLibraryFile = "libwarpsmith_postgres.so";
inline constexpr const char* kPostgresConnectSymbol = "warpsmith_postgres_connect";
inline constexpr const char* kPostgresListenSymbol = "warpsmith_postgres_listen";

/// A database, and what its statements need of the program.
struct PostgresTarget {
  std::string url;   ///< postgres://USER@HOST:PORT/DATABASE, without a password.
  std::string name;  ///< The same as messages have it.
  /// The owner's name of whoever the calling thread works for (viewer.h), which `viewer()` is in a
  /// statement.
  std::string (*viewer)() = nullptr;
};

/// The exported functions. Program and library are built from one tree, by one compiler.
/// @param error  Set where no connection is made.
using PostgresConnectFunction = void (*)(const PostgresTarget& target,
                                         std::unique_ptr<ConnectionEngine>& connection,
                                         Error& error);
using PostgresListenFunction = void (*)(const PostgresTarget& target, const std::string& channel,
                                        std::unique_ptr<NoticeEngine>& listener, Error& error);

}  // namespace ws
