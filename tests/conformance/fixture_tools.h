// The tools that the conformance suite calls by name.
#pragma once

#include "server/protocol/mcp_server.h"
#include "tools/registry.h"

namespace ws::conformance {

/// Those that answer with content, log, and report progress.
void add_content_tools(ToolRegistry& registry);

/// Those that say that a list has changed. @param server  Set before a tool is called.
void add_changing_tools(ToolRegistry& registry, const server::McpServer* const* server);

/// Those that go on as tasks.
void add_long_tools(ToolRegistry& registry);

/// Those that ask their client for something first.
void add_asking_tools(ToolRegistry& registry);

}  // namespace ws::conformance
