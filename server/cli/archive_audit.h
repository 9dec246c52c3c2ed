// Changes of an archive by the command line, in the audit log.
#pragma once

#include "runtime/base/result.h"
#include "server/cli/archive_files.h"
#include "server/cli/commands.h"

namespace ws::server {

/// Opens the log that the options name, if they name one. @errors As open_audit().
Status begin_audit(const ArchiveOptions& options);

/// Appends {"event": "archive", "user", "action", ..., "outcome"}, with the numbers that the action
/// answers, where the action changes archives and a log is open.
void audit_action(const ArchiveOptions& options, const Result<ArchiveDone>& done);

}  // namespace ws::server
