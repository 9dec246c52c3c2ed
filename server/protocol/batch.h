// Several messages in one: a form of 2025-03-26.
#pragma once

#include <vector>

#include "server/protocol/mcp_server.h"

namespace ws::server {

/// One message of its parts: answered at once where all of them are, else when the last one is.
Accepted join_batch(std::vector<Accepted> parts);

}  // namespace ws::server
