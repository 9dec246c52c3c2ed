// Views of results inside the chat (MCP Apps): which clients are offered one, and what it is.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/task_client.h"

namespace ws::test {
namespace {

const Json kShowsApps = {
    {"extensions",
     {{"io.modelcontextprotocol/ui", {{"mimeTypes", {"text/html;profile=mcp-app"}}}}}}};

/// The tools of a list that name a view, by what they name.
std::set<std::string> with_view(const Json& reply) {
  std::set<std::string> names;
  for (const Json& tool : reply["result"]["tools"]) {
    const Json uri = tool.value("/_meta/ui/resourceUri"_json_pointer, Json());
    if (!uri.is_null()) {
      CHECK(uri == "ui://warpsmith/result");
      names.insert(tool["name"]);
    }
  }
  return names;
}

Json modern_list(const server::McpServer& server, const Json& capabilities) {
  const Json request = {{"jsonrpc", "2.0"},
                        {"id", 1},
                        {"method", "tools/list"},
                        {"params",
                         {{"_meta",
                           {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                            {"io.modelcontextprotocol/clientCapabilities", capabilities}}}}}};
  return Json::parse(server.handle(request.dump(), {}).body);
}

}  // namespace

TEST_SUITE("mcp.apps") {
  TEST_CASE("clients that show views learn which results have one, others do not") {
    const std::set<std::string> drawn = {"benchmark", "evaluate",  "profile", "tune",
                                         "validate",  "verify_ir", "workflow"};
    TaskServer server;
    CHECK(with_view(modern_list(server.server(), kShowsApps)) == drawn);
    CHECK(with_view(modern_list(server.server(), Json::object())).empty());
    TaskClient shows(server.server(), "shows");
    shows.initialize("2025-11-25", kShowsApps);
    CHECK(with_view(shows.older("tools/list", Json::object())) == drawn);
    TaskClient plain(server.server(), "plain");
    plain.initialize("2025-11-25");
    CHECK(with_view(plain.older("tools/list", Json::object())).empty());
    TaskClient oldest(server.server(), "oldest");  // That revision knows no _meta of tools.
    oldest.initialize("2025-03-26", kShowsApps);
    CHECK(with_view(oldest.older("tools/list", Json::object())).empty());
  }

  TEST_CASE("the view is one document, which loads nothing and asks for no rights") {
    TaskServer server;
    TaskClient client(server.server());
    const Json contents =
        client.modern("resources/read", {{"uri", "ui://warpsmith/result"}})["result"]["contents"];
    REQUIRE(contents.size() == 1);
    CHECK(contents[0]["mimeType"] == "text/html;profile=mcp-app");
    CHECK(contents[0]["_meta"] == Json{{"ui", {{"prefersBorder", true}}}});
    const std::string html = contents[0]["text"];
    CHECK(html.starts_with("<!doctype html>\n"));
    CHECK(html.ends_with("</script></body></html>\n"));
    for (const char* const loaded : {"src=\"", "href=\"/", "import ", "@import", "fetch(\"http"}) {
      CAPTURE(std::string(loaded));
      CHECK(html.find(loaded) == std::string::npos);
    }
    const Json missing = client.modern("resources/read", {{"uri", "ui://warpsmith/none"}});
    CHECK(missing["error"]["code"] == -32602);
  }
}

}  // namespace ws::test
