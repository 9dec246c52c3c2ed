#include "runtime/compile/store_folder.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/compile/store_file.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kUnfinishedAge{1};

enum class Kind : std::uint8_t { kEntry, kDamaged, kUnfinished };

struct StoredFile {
  fs::path path;
  Kind kind = Kind::kEntry;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

bool kind_of(const fs::path& path, Kind& kind) {
  const std::string ending = path.extension().string();
  kind = ending == kEntryEnding     ? Kind::kEntry
         : ending == kDamagedEnding ? Kind::kDamaged
                                    : Kind::kUnfinished;
  return kind != Kind::kUnfinished || ending == kUnfinishedEnding;
}

/// Files may vanish while this looks: another server trims too.
Result<std::vector<StoredFile>> list(const fs::path& folder) {
  std::vector<StoredFile> files;
  std::error_code error;
  if (!fs::exists(folder, error)) {
    return files;
  }
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    StoredFile file;
    std::error_code gone;
    file.path = entry->path();
    if (!entry->is_regular_file(gone) || !kind_of(file.path, file.kind)) {
      continue;
    }
    file.bytes = entry->file_size(gone);
    file.used = gone ? fs::file_time_type() : entry->last_write_time(gone);
    if (!gone) {
      files.push_back(std::move(file));
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::kIo, "cannot list the compile cache `" + folder.string() + "`", {},
                error.message());
  }
  return files;
}

void count(const StoredFile& file, StoreUsage& usage) {
  usage.entries += file.kind == Kind::kEntry ? 1 : 0;
  usage.damaged += file.kind == Kind::kDamaged ? 1 : 0;
  usage.bytes += file.bytes;
}

bool remove(const StoredFile& file) {
  std::error_code error;
  fs::remove(file.path, error);
  return !error;
}

}  // namespace

Result<StoreUsage> store_usage(const fs::path& folder) {
  WS_TRY(const std::vector<StoredFile> files, list(folder));
  StoreUsage usage;
  for (const StoredFile& file : files) {
    count(file, usage);
  }
  return usage;
}

Result<StoreUsage> trim_store(const fs::path& folder, std::uint64_t max_bytes) {
  WS_TRY(std::vector<StoredFile> files, list(folder));
  const auto now = fs::file_time_type::clock::now();
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.used > b.used; });
  StoreUsage kept;
  for (const StoredFile& file : files) {
    const bool left_over = file.kind == Kind::kUnfinished && now - file.used > kUnfinishedAge;
    if (left_over || (file.kind != Kind::kUnfinished && kept.bytes + file.bytes > max_bytes)) {
      remove(file);
    } else {
      count(file, kept);
    }
  }
  return kept;
}

Result<StoreUsage> clear_store(const fs::path& folder) {
  WS_TRY(const std::vector<StoredFile> files, list(folder));
  StoreUsage removed;
  for (const StoredFile& file : files) {
    if (!remove(file)) {
      return fail(ErrorCode::kIo, "cannot delete `" + file.path.string() + "`");
    }
    count(file, removed);
  }
  return removed;
}

Result<StoreUsage> verify_store(const fs::path& folder) {
  WS_TRY(const std::vector<StoredFile> files, list(folder));
  for (const StoredFile& file : files) {
    if (file.kind == Kind::kEntry) {
      static_cast<void>(read_entry(file.path, file.path.stem().string()));
    }
  }
  return store_usage(folder);
}

}  // namespace ws
