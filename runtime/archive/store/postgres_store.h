// The archive's connections to a PostgreSQL database.
#pragma once

#include <string>

#include "runtime/archive/store/sqlite.h"

namespace ws {

/// Connects to the database of a URL. Loads libwarpsmith_postgres.so, once, which stays loaded.
/// @errors kInvalidArgument: as store_name(); kUnsupported: the library cannot be loaded; kBusy:
/// the server has no free connection; kIo: it cannot be reached, or refuses the user.
Result<Connection> open_postgres(const std::string& url);

/// @errors kNotFound: the database has no tables of an archive; as open_postgres().
Status require_postgres_tables(const std::string& url);

/// For those who only read. @param name  As store_name() gives it.
/// @errors kNotFound: there are no tables of an archive; kIo: an older or a newer program made
/// them.
Status check_postgres_tables(Connection& connection, const std::string& name);

/// As store_name(), with errors about the option that the URL was given by, such as "--to".
Result<std::string> store_name_of(const std::string& url, const std::string& option);

/// Makes the tables, in a schema of their own, where there are none; all in one transaction.
/// @param name  As store_name() gives it.
/// @errors kIo: a newer program made the tables, or they cannot be made.
Status make_postgres_tables(Connection& connection, const std::string& name);

}  // namespace ws
