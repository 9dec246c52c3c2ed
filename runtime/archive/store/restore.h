// A backup put in the place of an archive.
#pragma once

#include <filesystem>

#include "runtime/archive/store/backup.h"
#include "runtime/base/result.h"

namespace ws {

struct RestoreReport {
  BackupReport restored;
  std::filesystem::path kept;  ///< The archive that was there before; empty: there was none.
};

/// Checks a backup, copies it into `folder` and gives it the name of the archive; the archive that
/// was there is kept beside it. Killed at any time, it leaves the old archive or the new one.
///
/// @errors kNotFound: there is no such file; kIo: it is damaged, no archive or of a newer program,
/// or the folder cannot be written; kBusy: somebody has the archive open. Nothing is changed then.
Result<RestoreReport> restore_archive(const std::filesystem::path& folder,
                                      const std::filesystem::path& file,
                                      const CopyProgress& progress = {});

}  // namespace ws
