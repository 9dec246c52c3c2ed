// The connections of an archive in a file.
#pragma once

#include <filesystem>

#include "runtime/archive/store/archive_lock.h"
#include "runtime/archive/store/sqlite.h"
#include "runtime/base/result.h"

namespace ws {

/// A connection that writes: the file is made where it is not there, checked for damage where it is
/// small, and brought up to date.
/// @param lock  Of the file's folder, held by the caller.
/// @errors kIo, kBusy: as Archive::open().
Result<Connection> open_writer(const std::filesystem::path& file, const ArchiveLock& lock);

/// A connection that only reads. Searches read pages all over the file: out of the system's memory
/// in place, not copied from there. The price: a disk that cannot be read ends the server instead
/// of failing a call. @errors kIo.
Result<Connection> open_reader(const std::filesystem::path& file);

}  // namespace ws
