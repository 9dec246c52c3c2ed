// The actions of `archive` on whole archives, which open none for use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {

using Tell = std::function<void(const std::string& line)>;

/// How an action ended.
struct ArchiveDone {
  OrderedJson json;  ///< The answer that --json prints.
  std::string text;  ///< The lines that are printed without --json.
  int status = kExitOk;
};

struct ArchiveFileAction {
  std::string_view name;
  /// @param tell  Hears of the progress.
  Result<ArchiveDone> (*run)(const ArchiveOptions& options, const Tell& tell);
};

/// Null: it is none of backup, restore, move and migrate.
const ArchiveFileAction* find_file_action(std::string_view name);

}  // namespace ws::server
