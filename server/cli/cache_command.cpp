#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "runtime/base/log.h"
#include "runtime/compile/store.h"
#include "runtime/compile/store_folder.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

using Action = Result<StoreUsage> (*)(const std::filesystem::path&);

struct CacheRow {
  std::string_view name;
  Action action;
  std::string_view done;  ///< The subject of the numbers.
};

constexpr CacheRow kRows[] = {
    {"stats", &store_usage, "in the cache"},
    {"clear", &clear_store, "deleted"},
    {"verify", &verify_store, "read, and sound"},
};

std::string cache_json(const std::string& action, const std::filesystem::path& folder,
                       const StoreUsage& usage) {
  return to_line(OrderedJson{{"action", action},
                             {"folder", folder.string()},
                             {"entries", usage.entries},
                             {"bytes", usage.bytes},
                             {"damaged", usage.damaged}}) +
         "\n";
}

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string cache_text(const CacheRow& row, const std::filesystem::path& folder,
                       const StoreUsage& usage) {
  std::string text = folder.string() + ": " + count_text(usage.entries, "entry", "entries") + " " +
                     std::string(row.done) + ", " + size_text(usage.bytes) + "\n";
  if (usage.damaged > 0) {
    text += count_text(usage.damaged, "damaged entry is", "damaged entries are") +
            (row.action == &clear_store
                 ? " deleted too\n"
                 : " put aside; `warpsmith cache clear` deletes the whole cache\n");
  }
  return text;
}

}  // namespace

std::vector<std::string> cache_actions() {
  std::vector<std::string> names;
  for (const CacheRow& row : kRows) {
    names.emplace_back(row.name);
  }
  return names;
}

int cache_command(const CacheOptions& options) {
  const std::filesystem::path folder = options.data_dir / kStoreFolder;
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const CacheRow& row) { return row.name == options.action; });
  if (found == std::end(kRows)) {
    return kExitUsage;
  }
  const CacheRow& row = *found;
  const Result<StoreUsage> usage = row.action(folder);
  if (!usage) {
    log(LogLevel::kError, "cache", to_text(usage.error()));
    return kExitFailed;
  }
  const std::string text =
      options.json ? cache_json(options.action, folder, *usage) : cache_text(row, folder, *usage);
  std::fputs(text.c_str(), stdout);
  return row.action == &verify_store && usage->damaged > 0 ? kExitFailed : kExitOk;
}

}  // namespace ws::server
