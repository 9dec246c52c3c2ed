// The archive's tables, and how an older file is brought up to date.
#pragma once

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws {

/// The version that this program writes (PRAGMA user_version); 0 is an empty file.
int archive_version();

/// Brings the tables from the file's version to ours, each step in one transaction.
/// @errors kIo: the file is newer than this program, or a step fails (the file stays as it was).
Status migrate(Connection& connection);

}  // namespace ws
