#include "server/cli/client_settings.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "server/cli/json_member.h"
#include "server/cli/toml_table.h"

namespace ws::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServerName = "warpsmith";
constexpr const char* kTokenVariable = "WARPSMITH_TOKEN";

struct ClientForm {
  const char* word;
  const char* title;
  const char* servers;  ///< The object or table that holds the servers.
  const char* url;      ///< Its word for a URL; null: it has none.
  const char* token;    ///< A header's value that takes the variable's; null: it names a variable.
  bool typed;           ///< An entry says "type": "stdio" or "http".
  fs::path (*file)(const ClientFolders&);
};

fs::path claude_code_file(const ClientFolders& folders) {
  return (folders.claude.empty() ? folders.home : folders.claude) / ".claude.json";
}

fs::path cursor_file(const ClientFolders& folders) {
  return folders.home / ".cursor/mcp.json";
}

fs::path vscode_file(const ClientFolders& folders) {
  return folders.config / "Code/User/mcp.json";
}

fs::path codex_file(const ClientFolders& folders) {
  return (folders.codex.empty() ? folders.home / ".codex" : folders.codex) / "config.toml";
}

fs::path gemini_file(const ClientFolders& folders) {
  return folders.home / ".gemini/settings.json";
}

fs::path claude_desktop_file(const ClientFolders& folders) {
  return folders.config / "Claude/claude_desktop_config.json";
}

constexpr std::array kClients = {
    ClientForm{"claude-code", "Claude Code", "mcpServers", "url", "Bearer ${WARPSMITH_TOKEN}", true,
               &claude_code_file},
    ClientForm{"cursor", "Cursor", "mcpServers", "url", "Bearer ${env:WARPSMITH_TOKEN}", false,
               &cursor_file},
    ClientForm{"vscode", "VS Code", "servers", "url", "Bearer ${env:WARPSMITH_TOKEN}", true,
               &vscode_file},
    ClientForm{"codex", "Codex", "mcp_servers", "url", nullptr, false, &codex_file},
    ClientForm{"gemini-cli", "Gemini CLI", "mcpServers", "httpUrl", "Bearer ${WARPSMITH_TOKEN}",
               false, &gemini_file},
    ClientForm{"claude-desktop", "Claude Desktop", "mcpServers", nullptr, nullptr, false,
               &claude_desktop_file},
};

const ClientForm& form_of(const std::string& client) {
  return *std::find_if(kClients.begin(), kClients.end(),
                       [&client](const ClientForm& form) { return form.word == client; });
}

OrderedJson json_entry(const ClientForm& form, const ClientLink& link) {
  OrderedJson entry = OrderedJson::object();
  if (form.typed) {
    entry["type"] = link.url.empty() ? "stdio" : "http";
  }
  if (link.url.empty()) {
    entry["command"] = link.executable.string();
    entry["args"] = {"serve", "--stdio"};
    return entry;
  }
  entry[form.url] = link.url;
  if (link.token) {
    entry["headers"] = {{"Authorization", form.token}};
  }
  return entry;
}

/// A JSON string is a TOML string too.
std::vector<std::string> toml_entry(const ClientForm& form, const ClientLink& link) {
  if (link.url.empty()) {
    return {"command = " + Json(link.executable.string()).dump(), R"(args = ["serve", "--stdio"])"};
  }
  std::vector<std::string> lines = {std::string(form.url) + " = " + Json(link.url).dump()};
  if (link.token) {
    lines.push_back("bearer_token_env_var = " + Json(kTokenVariable).dump());
  }
  return lines;
}

}  // namespace

std::vector<std::string> client_words() {
  std::vector<std::string> words;
  std::transform(kClients.begin(), kClients.end(), std::back_inserter(words),
                 [](const ClientForm& form) { return form.word; });
  return words;
}

std::string client_title(const std::string& client) {
  return form_of(client).title;
}

fs::path client_file(const std::string& client, const ClientFolders& folders) {
  return form_of(client).file(folders);
}

Result<std::string> client_settings(const std::string& client, const ClientLink& link,
                                    const std::string& present) {
  const ClientForm& form = form_of(client);
  if (form.url == nullptr && !link.url.empty()) {
    return fail(ErrorCode::kUnsupported,
                std::string(form.title) + " reaches a server over HTTP by its own menus only",
                "leave out --http: then it starts the server itself");
  }
  if (form.file(ClientFolders{}).extension() == ".toml") {
    return put_toml_table(present, form.servers, kServerName, toml_entry(form, link));
  }
  return put_json_member(present, form.servers, kServerName, json_entry(form, link));
}

}  // namespace ws::server
