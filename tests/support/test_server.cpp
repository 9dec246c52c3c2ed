// ws_test_server --stdio | --http HOST:PORT [TOKEN]: the test tools on the real transports. Ends on
// SIGTERM by the default action.
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include <unistd.h>

#include "runtime/base/log.h"
#include "server/protocol/mcp_server.h"
#include "server/transport/http_transport.h"
#include "server/transport/stdio_transport.h"
#include "tests/support/test_tools.h"

namespace ws {
namespace {

int serve_http(const server::McpServer& server, const std::string& address,
               const std::optional<std::string>& secret) {
  const auto token = server::find_token({"", secret});
  const auto principals = token ? server::Principals::open(*token, {}) : fail(token.error());
  const Result<server::ListenAddress> parsed =
      principals ? server::parse_listen_address(address, (*principals)->guarded())
                 : fail(principals.error());
  const auto transport =
      parsed ? server::HttpTransport::open(server, {.address = *parsed},
                                           {.gate = std::make_shared<server::Gate>(*principals)})
             : fail(parsed.error());
  if (!transport) {
    std::fputs(to_text(transport.error()).c_str(), stderr);
    return 1;
  }
  std::printf("%d\n", (*transport)->port());
  std::fflush(stdout);
  // The test holds the other end of stdin: its end is ours.
  return (*transport)->run(STDIN_FILENO) ? 0 : 3;
}

int serve_stdio(const server::McpServer& server) {
  const Result<Fd> out = server::take_stdout();
  if (!out) {
    return 1;
  }
  std::printf("this must not get into the stream\n");
  std::fflush(stdout);
  return server::StdioTransport(server, STDIN_FILENO, out->get(), -1).run() ? 0 : 3;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
  ws::ToolRegistry registry;
  ws::add_test_tools(registry);
  const ws::server::McpServer server(registry, {});
  ws::set_log_level(ws::LogLevel::kDebug);
  if (argc >= 3 && std::strcmp(argv[1], "--http") == 0) {
    return ws::serve_http(server, argv[2],
                          argc == 4 ? std::optional<std::string>(argv[3]) : std::nullopt);
  }
  return ws::serve_stdio(server);
}
