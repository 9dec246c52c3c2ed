// Shared entries in a folder that all machines see.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/compile/shared_entries.h"

namespace ws {

/// find(): any thread. put(): one thread.
class FolderEntries : public EntryPlace {
 public:
  /// The limit of all files together: those that were written longest ago go first.
  static constexpr std::int64_t kMostBytes = std::int64_t{4} << 30U;

  explicit FolderEntries(std::filesystem::path folder, std::int64_t most_bytes = kMostBytes)
      : folder_(std::move(folder)),
        most_bytes_(most_bytes) {}

  Result<std::optional<std::string>> find(const std::string& key) override;
  Status put(const std::string& key, std::string_view bytes) override;

 private:
  const std::filesystem::path folder_;
  const std::int64_t most_bytes_;
  std::uint64_t puts_ = 0;
};

}  // namespace ws
