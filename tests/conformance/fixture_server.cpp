// ws_conformance_server: the protocol library with the tools, prompts and resources that the
// conformance suite asks for. Prints its port, and serves until its stdin ends.
#include <cstdio>

#include <unistd.h>

#include "server/protocol/mcp_server.h"
#include "server/transport/http_transport.h"
#include "tests/conformance/fixture_texts.h"
#include "tests/conformance/fixture_tools.h"

int main() {
  ws::ToolRegistry registry;
  ws::conformance::add_content_tools(registry);
  ws::conformance::add_asking_tools(registry);
  ws::conformance::add_long_tools(registry);
  const ws::server::McpServer* served = nullptr;
  ws::conformance::add_changing_tools(registry, &served);
  const ws::conformance::FixturePrompts prompts;
  ws::conformance::FixtureResources resources;
  ws::server::McpServer::Options options;
  options.version = "1.0.0";
  options.identity = {.name = "conformance", .title = "Conformance fixture", .instructions = {}};
  options.prompts = &prompts;
  options.skills = &ws::conformance::fixture_skills();
  options.resources = &resources;
  options.resource_list = &resources;
  const ws::conformance::FixtureCompletions completions;
  options.completions = &completions;
  options.list_bounds = true;
  options.talks = true;
  options.tasks = true;
  const ws::server::McpServer server(registry, options);
  served = &server;
  const auto transport = registry.status()
                             ? ws::server::HttpTransport::open(server, {.address = {{"127.0.0.1"}}})
                             : ws::fail(registry.status().error());
  if (!transport) {
    std::fprintf(stderr, "%s\n", ws::to_text(transport.error()).c_str());
    return 1;
  }
  std::printf("%d\n", (*transport)->port());
  std::fflush(stdout);
  return (*transport)->run(STDIN_FILENO) ? 0 : 3;
}
