// The status of a running server as text for a terminal. Pure functions.
#pragma once

#include <string>

#include "server/protocol/protocol.h"

namespace ws::server {

/// A table of the jobs of a server's status, or of those in a data folder.
std::string jobs_text(const Json& status);

/// A table of the sessions of a server's status.
std::string sessions_text(const Json& status);

/// The server's load, its lanes, workers and jobs.
/// @param before  The status of `seconds` before, which shares of time are worked out from; null:
///                since the start.
std::string top_text(const Json& status, const Json& before);

/// A line for each job that came, changed or went between two of a server's states.
std::string changes_text(const Json& before, const Json& status);

}  // namespace ws::server
