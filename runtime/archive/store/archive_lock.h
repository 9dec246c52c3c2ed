// The file archive.lock beside an archive.
#pragma once

#include <filesystem>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// Held while the archive is open, by all who have it open at once; or by one alone, who replaces
/// the archive's file. It also notes that the archive has had tables: an archive that lost them is
/// not a new one. Any thread may destroy it; the other methods are for the thread that took it.
class ArchiveLock {
 public:
  /// Shares the lock. A folder that cannot be written gives a lock that holds nothing: opening the
  /// archive then fails with the reason.
  /// @errors kBusy: a restore has it alone.
  static Result<ArchiveLock> share(const std::filesystem::path& folder);

  /// @errors kBusy: somebody has the archive open; names the process of a server. kIo: the folder
  /// cannot be written.
  static Result<ArchiveLock> alone(const std::filesystem::path& folder);

  /// Whether the archive of this folder has had tables.
  [[nodiscard]] bool had_tables() const;
  void note_tables(bool has_tables);

  /// Whether this call of share() made the file.
  [[nodiscard]] bool is_new() const { return is_new_; }

 private:
  ArchiveLock(Fd file, bool is_new)
      : file_(std::move(file)),
        is_new_(is_new) {}

  Fd file_;
  bool is_new_ = false;
};

}  // namespace ws
