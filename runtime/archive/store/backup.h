// Copies of a whole archive, made while servers use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "runtime/base/result.h"

namespace ws {

class Connection;

struct BackupReport {
  std::int64_t kernels = 0;
  std::int64_t evidence = 0;
  std::uint64_t bytes = 0;  ///< The size of the file.
};

/// Gets the pages that are copied and all of them.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t pages)>;

/// Copies the archive in `folder` as it is at one moment, while others read and write it. The file
/// is one database without a log, for its owner alone; it is on the disk before it gets its name.
///
/// @param replace  Allows that a file of that name is there; else it stays.
/// @errors kNotFound: no archive is there; kConflict: the file is there, or is the archive itself;
/// kIo: the archive is empty, damaged or of a newer program, or the file cannot be written. A copy
/// that was not finished is removed.
Result<BackupReport> backup_archive(const std::filesystem::path& folder,
                                    const std::filesystem::path& file, bool replace,
                                    const CopyProgress& progress = {});

/// Copies what `source` sees, in its snapshot or transaction of another connection, over `file`.
/// @errors kIo, as backup_archive.
Result<BackupReport> write_backup(Connection& source, const std::filesystem::path& file,
                                  const CopyProgress& progress = {});

/// Syncs a file, or the names in a folder, to the disk. @errors kIo.
Status sync_to_disk(const std::filesystem::path& path);

}  // namespace ws
