// The archive as those who operate a server see it: how large it is, whether it can be written, and
// all jobs that clients were told of.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/archive_place.h"

namespace ws {

class SharedConnection;

struct ArchiveNumbers {
  std::uint64_t file_bytes = 0;
  std::uint64_t log_bytes = 0;  ///< The write-ahead log.
  // The highest row numbers: what was removed before the newest row counts, too.
  std::int64_t problems = 0;
  std::int64_t kernels = 0;
  std::int64_t evidence = 0;
};

struct OwnerBytes {
  std::string owner;
  std::int64_t bytes = 0;
};

/// Beside an Archive of the same place, with a connection of its own. All methods: any thread.
/// @errors of all of them: kIo.
class ArchiveUsage {
 public:
  /// The archive of the place must have been opened: it makes the tables.
  static Result<std::unique_ptr<ArchiveUsage>> open(const ArchivePlace& place);

  ~ArchiveUsage();
  ArchiveUsage(const ArchiveUsage&) = delete;
  ArchiveUsage& operator=(const ArchiveUsage&) = delete;

  /// Costs the same however large the archive is.
  Result<ArchiveNumbers> numbers();

  /// How many bytes of the archive the principals with the most have, at most so many of them.
  Result<std::vector<OwnerBytes>> owners(int most);

  /// How many kernels Archive::collect_garbage() leaves, of those that are old enough, only because
  /// they, or kernels that were made from them, are not only rules.owner's; 0 where the rules name
  /// no owner.
  Result<std::uint64_t> garbage_of_others(const GarbageRules& rules);

  /// Writes a word, to see whether that can be done.
  Status try_write();

  /// Jobs whose ids clients were told, the one that changed last first; without their arguments and
  /// results.
  Result<std::vector<JobRow>> jobs(int most);

 private:
  ArchiveUsage(ArchivePlace place, std::unique_ptr<SharedConnection> connection);

  const ArchivePlace place_;
  std::unique_ptr<SharedConnection> connection_;
};

}  // namespace ws
