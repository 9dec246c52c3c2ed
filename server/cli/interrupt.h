// SIGINT and SIGTERM for a command that drives a server of its own: the server ends first, so that
// the command sees it and cleans up.
#pragma once

#include <sys/types.h>

namespace ws::server {

/// From here on either signal ends the process `server`; a second one ends this process at once.
/// Handlers, as children would inherit a mask or SIG_IGN. One per process.
void end_server_on_interrupt(pid_t server);

/// The signal that came; 0: none.
[[nodiscard]] int interrupted_by();

}  // namespace ws::server
