// The settings by which MCP clients find this server, each client in its own form and file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws::server {

/// Where a user's clients keep their settings.
struct ClientFolders {
  std::filesystem::path home;
  std::filesystem::path config;  ///< $XDG_CONFIG_HOME, else ~/.config.
  std::filesystem::path claude;  ///< $CLAUDE_CONFIG_DIR, or empty.
  std::filesystem::path codex;   ///< $CODEX_HOME, or empty.
};

/// How a client reaches the server.
struct ClientLink {
  std::filesystem::path executable;  ///< Absolute; started by the client where `url` is empty.
  std::string url;                   ///< A running server's, such as http://127.0.0.1:7411/mcp.
  bool token = false;                ///< It asks for a token, which WARPSMITH_TOKEN holds.
};

/// The words of clients: "claude-code", "cursor", and so on.
std::vector<std::string> client_words();

/// "Claude Code" for "claude-code". @param client  One of client_words().
std::string client_title(const std::string& client);

/// The file of the user's settings that lists MCP servers.
std::filesystem::path client_file(const std::string& client, const ClientFolders& folders);

/// The text of the client's file with this server in it; all else stays as it is. Settings hold no
/// secret: a token is named by the variable that holds it.
///
/// @param present  The file's text; empty: there is none, and the result is the entry alone.
/// @errors kInvalidArgument: `present` cannot be extended; kUnsupported: the client starts servers
/// only, and the link has a URL.
Result<std::string> client_settings(const std::string& client, const ClientLink& link,
                                    const std::string& present);

}  // namespace ws::server
