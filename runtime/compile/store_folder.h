// The compile cache's folder as a whole: how much is there, what is damaged, what goes first.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runtime/base/result.h"

namespace ws {

struct StoreUsage {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;    ///< The size of all files.
  std::uint64_t damaged = 0;  ///< Put aside.
};

/// A folder that is not there is an empty cache. @errors kIo: it cannot be listed.
Result<StoreUsage> store_usage(const std::filesystem::path& folder);

/// Tells those who operate the server how large the cache is. Any thread.
void note_cache_bytes(std::uint64_t bytes);

/// Deletes unfinished files older than an hour, then the entries that were used longest ago until
/// at most `max_bytes` are left. @return What is left. @errors kIo.
Result<StoreUsage> trim_store(const std::filesystem::path& folder, std::uint64_t max_bytes);

/// Deletes every file of the cache; other files stay. @return What was deleted. @errors kIo.
Result<StoreUsage> clear_store(const std::filesystem::path& folder);

/// Reads every entry; damaged ones are put aside. `damaged` counts all that are aside afterwards.
/// @errors kIo.
Result<StoreUsage> verify_store(const std::filesystem::path& folder);

}  // namespace ws
