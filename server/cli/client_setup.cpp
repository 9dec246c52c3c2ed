#include "server/cli/client_setup.h"

#include <string_view>

#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

/// `word` as one word of a POSIX shell; as it is where nothing needs quotes.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

}  // namespace

std::vector<ClientSetup> client_setups(const std::filesystem::path& executable) {
  const std::string path = executable.string();
  const std::string command = shell_word(path);
  const OrderedJson entry = {{"command", path}, {"args", {"serve", "--stdio"}}};
  const OrderedJson cursor = {{"mcpServers", {{"warpsmith", entry}}}};
  OrderedJson code = {{"name", "warpsmith"}};
  code.update(entry);
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  return {
      {"Claude Code", "run", "claude mcp add warpsmith -- " + command + " serve --stdio"},
      {"Cursor", "put into ~/.cursor/mcp.json", to_line(cursor)},
      {"VS Code", "run", "code --add-mcp " + shell_word(to_line(code))},
      {"curl", "run the server in one terminal, curl in another",
       command + " serve --http 127.0.0.1:7411\n" +
           "curl -sS http://127.0.0.1:7411/mcp -H 'Content-Type: application/json' -d " +
           shell_word(list)},
  };
}

}  // namespace ws::server
