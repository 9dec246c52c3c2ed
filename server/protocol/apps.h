// Views of results inside the chat: the extension MCP Apps.
#pragma once

#include <string>

#include "server/protocol/offer.h"
#include "server/protocol/protocol.h"

namespace ws::server {

inline constexpr const char* kAppsExtension = "io.modelcontextprotocol/ui";
inline constexpr const char* kAppMimeType = "text/html;profile=mcp-app";

/// A client that shows views declares this: {extensions: {io.modelcontextprotocol/ui: {}}}.
Json apps_capability();

/// The result of resources/read for a view, as JSON text. It may load nothing.
std::string app_result(const AppView& app);

}  // namespace ws::server
