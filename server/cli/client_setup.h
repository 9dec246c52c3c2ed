// The exact lines that add this executable's server to MCP clients.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ws::server {

struct ClientSetup {
  std::string client;  ///< "Claude Code"
  std::string how;     ///< "run", "put into ~/.cursor/mcp.json"
  std::string text;    ///< The lines to run or to paste.
};

/// @param executable  Absolute.
std::vector<ClientSetup> client_setups(const std::filesystem::path& executable);

}  // namespace ws::server
