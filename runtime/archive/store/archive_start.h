// The steps before an archive is opened, which tell a new archive from one that lost its content.
#pragma once

#include <filesystem>

#include "runtime/archive/store/archive_lock.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws {

/// Makes the folder and an empty file where there is none, and shares the archive's lock.
/// @errors kIo: the folder cannot be made; archive.db is empty or missing, but it was not before,
/// or its write-ahead log still has data. Nothing is changed then. kBusy: a restore is at work.
Result<ArchiveLock> start_archive(const std::filesystem::path& folder);

/// @errors kIo: the file has no tables although the lock says that it had: it was copied without
/// its write-ahead log, where the tables of a new archive are for a while.
Status check_tables(Connection& connection, const ArchiveLock& lock,
                    const std::filesystem::path& file);

}  // namespace ws
