// The archive's tables, and how an older file is brought up to date.
#pragma once

#include <filesystem>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws {

/// The version that this program writes (PRAGMA user_version); 0 is an empty file.
int archive_version();

/// @errors kIo: the file has no tables of an archive, or a newer program wrote it.
Status check_version(Connection& connection);

/// Brings the tables from the file's version to ours, all steps in one transaction. A file that has
/// tables is copied first, beside it; the copy of the upgrade before is removed then.
/// @param file  The database of the connection.
/// @errors kIo: the file is newer than this program, it cannot be copied, or a step fails (the file
/// stays as it was).
Status migrate(Connection& connection, const std::filesystem::path& file);

}  // namespace ws
