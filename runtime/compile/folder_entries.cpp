#include "runtime/compile/folder_entries.h"

#include "runtime/base/files.h"
#include "runtime/compile/store_file.h"
#include "runtime/compile/store_folder.h"

namespace ws {
namespace {

constexpr std::uint64_t kFilesBetweenTrims = 16;

}  // namespace

Result<std::optional<std::string>> FolderEntries::find(const std::string& key) {
  std::error_code ignored;
  const std::filesystem::path path = entry_path(folder_, key);
  if (!std::filesystem::exists(path, ignored)) {
    return std::nullopt;
  }
  WS_TRY(std::string bytes, read_file(path));
  return bytes;
}

Status FolderEntries::put(const std::string& key, std::string_view bytes) {
  WS_CHECK(write_entry(entry_path(folder_, key), bytes));
  if (++puts_ % kFilesBetweenTrims != 0) {
    return {};
  }
  WS_TRY([[maybe_unused]] const StoreUsage left,
         trim_store(folder_, static_cast<std::uint64_t>(most_bytes_)));
  return {};
}

}  // namespace ws
