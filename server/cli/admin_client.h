// Orders to a running server, as its page for operators takes them.
#pragma once

#include <string>

#include "server/cli/commands.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// The server where none is named.
inline constexpr const char* kLocalServer = "http://127.0.0.1:7411/mcp";

/// Sends {"action", ...} to the server. @param order  As Operation::admin takes it.
/// @errors kIo: no answer; kInvalidArgument: what the server refuses, in its words.
Result<Json> send_order(const OperateOptions& options, const Json& order);

/// The jobs in the data folder, as {"jobs": [...]}: where there is no server.
Result<Json> stored_jobs(const OperateOptions& options);

}  // namespace ws::server
